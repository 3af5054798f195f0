import type { Tag } from '../cache/tag';
import type { Announcement, MaybePromise } from '../cache/provider';

/** What the observer needs of a store: announcing and stamping. */
export interface InvalidationSink {
  announce(tags: readonly Tag[]): MaybePromise<Announcement | undefined>;
  invalidate(tags: readonly Tag[], announcement?: Announcement): MaybePromise<unknown>;
}

/**
 * Carries out a commit so that no request that starts after its acknowledgement gets an answer from before it:
 * announce, commit, stamp, and only then resolve. A commit that fails may still have reached the database, so it is
 * stamped too.
 *
 * @param tags the tags of the commit, as known before it.
 * @param tagsAfter called after the commit: resolves to the tags to stamp instead. If it fails, `tags` are stamped.
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
