import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import { DEFAULT_KEYS, fillIn } from './defaults';
import type { ResolvedKeys } from './resolved-config';
import type { ParsedKeys } from './schema';
import type { Hitpass } from './user-config';

/** What every level has: the strategy, its content types and their routes. */
export interface Settings {
  readonly maxAge: Milliseconds;
  readonly hitpass: Hitpass;
  readonly keys: ResolvedKeys;
}

/** What a user wrote at one level. */
interface WrittenSettings {
  readonly maxAge?: number | undefined;
  readonly hitpass?: Hitpass | undefined;
  readonly keys?: ParsedKeys | undefined;
}

/** Stores count whole milliseconds; a fraction of one must not become 0. */
export const wholeMilliseconds = (duration: number): Milliseconds => milliseconds(Math.ceil(duration));

const sortedSet = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

/** What is left out of `keys` takes the built-in default, not what the level above says. */
const resolveKeys = (keys: ParsedKeys): ResolvedKeys => {
  const { useQueryParams, useHeaders, useAuth } = fillIn(DEFAULT_KEYS, keys);
  return {
    useQueryParams: typeof useQueryParams === 'boolean' ? useQueryParams : sortedSet(useQueryParams),
    useHeaders: sortedSet(useHeaders.map((name) => name.toLowerCase())),
    useAuth,
  };
};

/** The settings of one level: its own, and for each it leaves out the one of the level above. */
export const inheritSettings = (above: Settings, own: WrittenSettings): Settings => ({
  maxAge: own.maxAge === undefined ? above.maxAge : wholeMilliseconds(own.maxAge),
  hitpass: own.hitpass ?? above.hitpass,
  keys: own.keys === undefined ? above.keys : resolveKeys(own.keys),
});
