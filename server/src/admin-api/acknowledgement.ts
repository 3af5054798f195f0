import type { EpochMilliseconds } from '../cache/clock';
import type { Actor } from '../monitor/actor';

/** Maximum length of a reason, in characters. The panel's bundle contains this file too: import only types here. */
export const LONGEST_REASON = 300;

/** Records that an admin knows of a warning, and why the warning is left as it is. */
export interface Acknowledgement {
  readonly by: Actor;
  readonly at: EpochMilliseconds;
  readonly reason: string;
}
