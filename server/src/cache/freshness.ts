import type { EpochMilliseconds } from './clock';
import type { Entry } from './entry';
import type { Sequence } from './sequence';
import type { Tag } from './tag';

/** The number of the latest invalidation that concerned a tag; 0 where there was none. */
type StampOf = (tag: Tag) => Sequence;

/** Whether none of `tags` was stamped after the sequence number `since`. */
export const isUnchanged = (tags: readonly Tag[], since: Sequence, stampOf: StampOf): boolean => {
  for (const name of tags) if (stampOf(name) > since) return false;
  return true;
};

/** The clocks of several processes may differ by so much. Milliseconds. */
const CLOCKS_APART = 60_000;

/** Whether a clock was put back since the entry was made, so that nobody knows its age. */
export const isFromFuture = ({ createdAt }: Pick<Entry, 'createdAt'>, now: EpochMilliseconds): boolean =>
  createdAt - now > CLOCKS_APART;

/** @param span milliseconds. */
const isYoungerThan = (span: number, entry: Pick<Entry, 'createdAt'>, now: EpochMilliseconds): boolean =>
  now - entry.createdAt < span && !isFromFuture(entry, now);

/** Whether the entry's age is below its maxAge: the only question that a wall clock decides. */
export const isYoung = (entry: Pick<Entry, 'createdAt' | 'maxAge'>, now: EpochMilliseconds): boolean =>
  isYoungerThan(entry.maxAge, entry, now);

type Times = Pick<Entry, 'createdAt' | 'maxAge' | 'keptFor'>;

/** Whether the entry may be served at its age, as a valid one or as one that is merely old. */
export const mayBeServed = (entry: Times, now: EpochMilliseconds): boolean =>
  isYoungerThan(entry.maxAge + (entry.keptFor ?? 0), entry, now);

/**
 * Whether the entry is too old to be valid, but is still kept. Unless it was stamped, it equals what would be computed now.
 */
export const isExpiredButKept = (entry: Times, now: EpochMilliseconds): boolean =>
  !isYoung(entry, now) && mayBeServed(entry, now);

/**
 * The one rule of freshness: an entry is valid if its age is below its maxAge and none of its tags was stamped after
 * the sequence number noted before it was computed. Checked before any entry is served.
 */
export const isFresh = (
  entry: Pick<Entry, 'createdAt' | 'maxAge' | 'tags' | 'sequence'>,
  now: EpochMilliseconds,
  stampOf: StampOf,
): boolean => isYoung(entry, now) && isUnchanged(entry.tags, entry.sequence, stampOf);
