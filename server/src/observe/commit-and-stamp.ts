import type { Tag } from '../cache/tag';
import type { Announcement, MaybePromise } from '../cache/provider';

/** What the observer needs of a store: announcing and stamping. */
export interface InvalidationSink {
  announce(tags: readonly Tag[]): MaybePromise<Announcement | undefined>;
  invalidate(tags: readonly Tag[], announcement?: Announcement): MaybePromise<unknown>;
}

/**
 * Carries out a commit so that no reader that starts after its acknowledgement is answered from before it: announce,
 * commit, stamp, and only then resolve. A commit that fails may still have reached the database, so it is stamped too.
 *
 * @param tags what the commit concerns, as far as is known before.
 * @param tagsAfter tells after the commit what it concerned, where that can be told more narrowly then.
 */
export const commitAndStamp = async <T>(
  sink: InvalidationSink,
  tags: readonly Tag[],
  commit: () => Promise<T>,
  tagsAfter?: () => Promise<readonly Tag[]>,
): Promise<T> => {
  if (tags.length === 0) return commit();
  const announcement = await sink.announce(tags);
  let stamped = tags;
  try {
    const answer = await commit();
    if (tagsAfter !== undefined) stamped = await tagsAfter().catch(() => tags);
    return answer;
  } finally {
    await sink.invalidate(stamped, announcement);
  }
};
