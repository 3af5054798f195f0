import type { OptionPath } from './configuration-error';
import type { Settings } from './resolved-config';
import type { ParsedSettings } from './schema';
import type { Findings } from './warning';
import { warnOfCredentialsInKeys, warnOfEndedHitpass } from './warnings';

/**
 * Whether a level inherits a `hitpass` that lets requests with credentials into the cache, while its own `keys` drop
 * the inherited `useAuth`. The two were written together, so the first is not meant without the second.
 */
const losesUseAuth = (above: Settings, own: ParsedSettings): boolean =>
  own.hitpass === undefined &&
  above.hitpass !== true &&
  above.keys.useAuth !== false &&
  own.keys !== undefined &&
  !writesUseAuth(own);

/** Whether a level says itself that callers, or roles, are kept apart. */
export const writesUseAuth = ({ keys }: Pick<ParsedSettings, 'keys'>): boolean => (keys?.useAuth ?? false) !== false;

/** The settings of one level. Each that it leaves out is inherited from the level above. */
const inherited = (above: Settings, own: ParsedSettings): Settings => {
  // Options that `keys` or `stale` leaves out have the built-in default, not the value of the level above.
  const { maxAge = above.maxAge, keys = above.keys, statuses = above.statuses, stale = above.stale } = own;
  const { repeatable = above.repeatable, sharesWork = above.sharesWork } = own;
  const rest = { maxAge, keys, statuses, repeatable, sharesWork, stale };
  if (own.hitpass !== undefined) return { ...rest, hitpass: own.hitpass };
  if (!losesUseAuth(above, own)) return { ...rest, hitpass: above.hitpass, alsoHitpass: above.alsoHitpass };
  const alsoHitpass = typeof above.hitpass === 'function' ? above.hitpass : undefined;
  return { ...rest, hitpass: true, alsoHitpass };
};

/** The settings of the level at `where`. Warns of what that level itself writes. */
export const resolveSettings = (
  findings: Findings,
  subject: string,
  where: OptionPath,
  above: Settings,
  own: ParsedSettings,
): Settings => {
  const settings = inherited(above, own);
  if (own.keys !== undefined) warnOfCredentialsInKeys(findings, settings, where);
  if (losesUseAuth(above, own)) warnOfEndedHitpass(findings, subject, above);
  return settings;
};
