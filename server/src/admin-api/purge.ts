import { systemClock } from '../cache/clock';
import type { Tag } from '../cache/tag';
import { ageOf } from '../http/replay';
import type { PurgeSubject } from '../monitor/activity';
import type { RestCache } from '../plugin/rest-cache';

export interface EntryCount {
  readonly entries: number;
  /** Of the oldest of them, in milliseconds; `null` where there are none. */
  readonly oldestAge: number | null;
}

/** The valid entries that carry one of these tags. Enumerates the store. */
export const countEntries = async ({ provider }: RestCache, tags: readonly Tag[]): Promise<EntryCount> => {
  const wanted = new Set(tags);
  const now = systemClock.now();
  let entries = 0;
  let oldestAge: number | null = null;
  for await (const entry of provider.entries()) {
    if (!entry.tags.some((name) => wanted.has(name))) continue;
    entries += 1;
    oldestAge = Math.max(oldestAge ?? 0, ageOf(entry, now));
  }
  return { entries, oldestAge };
};

/**
 * Purges on behalf of a person, who wants to know how much went.
 *
 * @returns how many entries there were; `null` where the store could not be asked.
 */
export const purgeCounted = async (
  restCache: RestCache,
  subject: PurgeSubject,
  tags: readonly Tag[],
): Promise<number | null> => {
  const counted = await countEntries(restCache, tags).catch(() => undefined);
  await restCache.invalidate(tags, subject, counted?.entries);
  return counted?.entries ?? null;
};
