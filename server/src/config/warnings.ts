import { formatOptionPath, type OptionPath } from './option-path';
import type { ResolvedKeys } from './resolved-config';
import type { Settings } from './settings';

/** Headers whose value lets its bearer in. */
const CREDENTIALS = new Set(['authorization', 'cookie']);

/**
 * Callers who are let past the bypass for credentials, into entries that do not tell them apart: whoever comes first
 * decides what all others see.
 */
export const sharedEntryWarnings = (subject: string, { hitpass, keys }: Settings): readonly string[] => {
  if (hitpass === true || keys.useAuth) return [];
  const cause =
    hitpass === false
      ? 'hitpass is false, so requests with credentials are cached'
      : 'hitpass is a function, so requests with credentials are cached whenever it returns false';
  return [
    `${subject}: ${cause}, but keys.useAuth is not true, so all callers share one entry and one caller's response is ` +
      'served to others until it expires. Set keys: { useAuth: true }, or hitpass: true.',
  ];
};

/** A level whose own keys end what it inherits: {@link losesUseAuth}. */
export const endedHitpassWarning = (subject: string, { hitpass }: Settings): string =>
  `${subject}: its keys leave out useAuth, with which ${hitpass === false ? 'hitpass: false' : 'a hitpass function'} is ` +
  'inherited, so hitpass: true holds here: requests with credentials bypass the cache. Write useAuth: true into these ' +
  'keys for one entry per caller, or hitpass: true beside them if the bypass is meant.';

/** Headers that do not belong into a key. `where` is the path of `keys`. */
export const keyWarnings = ({ useHeaders }: ResolvedKeys, where: OptionPath): readonly string[] =>
  useHeaders
    .filter((name) => CREDENTIALS.has(name))
    .map(
      (name) =>
        `${formatOptionPath([...where, 'useHeaders'])} holds "${name}": the live credential is written into the ` +
        "store's keys, and entries follow the credential instead of the caller. Use keys: { useAuth: true } instead.",
    );
