import type { EpochMilliseconds } from '../cache/clock';
import type { Actor } from '../monitor/actor';

/** Characters of a reason. The panel's bundle holds it as well: import nothing here but types. */
export const LONGEST_REASON = 300;

/** That somebody knows of a warning, and why it stands. */
export interface Acknowledgement {
  readonly by: Actor;
  readonly at: EpochMilliseconds;
  readonly reason: string;
}
