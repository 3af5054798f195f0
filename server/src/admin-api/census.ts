import type { EntrySummary } from '../cache/entry-summary';
import type { Inquiry } from '../cache/inventory';
import { EVERYTHING, type Tag } from '../cache/tag';

/** How many entries there are, of which content types and routes. */
export interface Census {
  entries: number;
  etags: number;
  readonly contentTypes: Map<string, number>;
  readonly routes: Map<string, { entries: number; bytes: number }>;
  /** For each list of tags that was asked about: how many entries carry one of them, and the oldest of these. */
  readonly carriers: Array<{ entries: number; oldest: EntrySummary | undefined }>;
}

/**
 * Counts entries.
 *
 * @param lists lists of tags whose carriers are counted.
 * @param ofAll `false`: entries that carry none of the tags are left out.
 */
export const census = (lists: ReadonlyArray<readonly Tag[]> = [], ofAll = true): Inquiry<Census> => ({
  name: `census ${ofAll} ${JSON.stringify(lists)}`,
  lists: !ofAll ? lists : lists.length === 0 ? undefined : [...lists, [EVERYTHING]],
  begin: () => {
    const carriers: Census['carriers'] = lists.map(() => ({ entries: 0, oldest: undefined }));
    const answer: Census = { entries: 0, etags: 0, contentTypes: new Map(), routes: new Map(), carriers };
    return { answer, add: (summary) => count(answer, summary) };
  },
});

const count = (sums: Census, summary: EntrySummary): void => {
  const { contentType, route } = summary.labels;
  const { entries, bytes } = sums.routes.get(route) ?? { entries: 0, bytes: 0 };
  sums.entries += 1;
  sums.etags += Number(summary.hasEtag);
  sums.contentTypes.set(contentType, (sums.contentTypes.get(contentType) ?? 0) + 1);
  sums.routes.set(route, { entries: entries + 1, bytes: bytes + summary.size });
  for (const [list, carriers] of sums.carriers.entries()) {
    if (summary.carries[list] !== true) continue;
    carriers.entries += 1;
    if (carriers.oldest === undefined || summary.createdAt < carriers.oldest.createdAt) carriers.oldest = summary;
  }
};
