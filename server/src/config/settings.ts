import { DEFAULT_HITPASS, DEFAULT_KEYS, fillIn, type Settings } from './resolved-config';
import type { ParsedSettings } from './schema';

/**
 * Whether a level inherits that requests with credentials are cached, but not that callers are kept apart: whoever wrote
 * the two together did not mean the one without the other.
 */
export const losesUseAuth = (above: Settings, own: ParsedSettings): boolean =>
  own.hitpass === undefined &&
  above.hitpass !== true &&
  above.keys.useAuth &&
  own.keys !== undefined &&
  own.keys.useAuth !== true;

/** The settings of one level: its own, and for each it leaves out the one of the level above. */
export const inheritSettings = (above: Settings, own: ParsedSettings): Settings => {
  const { maxAge = above.maxAge, statuses = above.statuses, repeatable = above.repeatable } = own;
  // What is left out of `keys` takes the built-in default, not what the level above says.
  const keys = own.keys === undefined ? above.keys : fillIn(DEFAULT_KEYS, own.keys);
  const rest = { maxAge, keys, statuses, repeatable };
  if (own.hitpass !== undefined) return { ...rest, hitpass: own.hitpass };
  if (!losesUseAuth(above, own)) return { ...rest, hitpass: above.hitpass, alsoHitpass: above.alsoHitpass };
  const alsoHitpass = typeof above.hitpass === 'function' ? above.hitpass : undefined;
  return { ...rest, hitpass: DEFAULT_HITPASS, alsoHitpass };
};
