import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import {
  DEFAULT_HITPASS,
  DEFAULT_KEYS,
  fillIn,
  type ResolvedKeys,
  type ResolvedStatus,
  type Settings,
} from './resolved-config';
import type { ParsedStrategy } from './schema';

/** What a user wrote at one level. */
type WrittenSettings = Pick<ParsedStrategy, 'maxAge' | 'hitpass' | 'keys' | 'statuses' | 'repeatable'>;

/** Stores count whole milliseconds; a fraction of one must not become 0. */
export const wholeMilliseconds = (duration: number): Milliseconds => milliseconds(Math.ceil(duration));

const sortedSet = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

const headerNames = (names: readonly string[]): readonly string[] => sortedSet(names.map((name) => name.toLowerCase()));

/** What is left out of `keys` takes the built-in default, not what the level above says. */
const resolveKeys = (keys: NonNullable<ParsedStrategy['keys']>): ResolvedKeys => {
  const { useQueryParams, useHeaders, ignoreHeaders, useAuth } = fillIn(DEFAULT_KEYS, keys);
  return {
    useQueryParams: typeof useQueryParams === 'boolean' ? useQueryParams : sortedSet(useQueryParams),
    useHeaders: headerNames(useHeaders),
    ignoreHeaders: headerNames(ignoreHeaders),
    useAuth,
  };
};

const resolveStatus = ({ status, maxAge }: NonNullable<ParsedStrategy['statuses']>[number]): ResolvedStatus =>
  maxAge === undefined ? { status } : { status, maxAge: wholeMilliseconds(maxAge) };

/**
 * Whether a level inherits that requests with credentials are cached, but not that callers are kept apart: whoever wrote
 * the two together did not mean the one without the other.
 */
export const losesUseAuth = (above: Settings, own: WrittenSettings): boolean =>
  own.hitpass === undefined &&
  above.hitpass !== true &&
  above.keys.useAuth &&
  own.keys !== undefined &&
  own.keys.useAuth !== true;

/** The settings of one level: its own, and for each it leaves out the one of the level above. */
export const inheritSettings = (above: Settings, own: WrittenSettings): Settings => {
  const maxAge = own.maxAge === undefined ? above.maxAge : wholeMilliseconds(own.maxAge);
  const keys = own.keys === undefined ? above.keys : resolveKeys(own.keys);
  const statuses = own.statuses === undefined ? above.statuses : own.statuses.map(resolveStatus);
  const rest = { maxAge, keys, statuses, repeatable: own.repeatable ?? above.repeatable };
  if (own.hitpass !== undefined) return { ...rest, hitpass: own.hitpass };
  if (!losesUseAuth(above, own)) return { ...rest, hitpass: above.hitpass, alsoHitpass: above.alsoHitpass };
  const alsoHitpass = typeof above.hitpass === 'function' ? above.hitpass : undefined;
  return { ...rest, hitpass: DEFAULT_HITPASS, alsoHitpass };
};
