import type { Entry } from './entry';
import { sizeOf } from './entry';
import type { Tag } from './tag';

/** What there is to say of an entry without its body and its headers. */
export interface EntrySummary extends Pick<Entry, 'key' | 'labels' | 'sequence' | 'createdAt' | 'maxAge' | 'keptFor'> {
  /** As {@link sizeOf}. */
  readonly size: number;
  readonly hasEtag: boolean;
  /** For each list of tags that was asked about: whether the entry carries one of them. */
  readonly carries: readonly boolean[];
}

/** Which entries summaries are asked of, and of which tags. Tags stay where they are: entries have dozens of them. */
export interface SummaryQuestion {
  readonly lists: ReadonlyArray<readonly Tag[]>;
  /** `false`: only entries that carry a tag of one of the lists. */
  readonly all: boolean;
}

/** The numbers of the lists that each tag is in. */
export const listsByTag = (lists: SummaryQuestion['lists']): ReadonlyMap<Tag, readonly number[]> => {
  const listsOf = new Map<Tag, number[]>();
  for (const [list, tags] of lists.entries())
    for (const name of tags) {
      const known = listsOf.get(name);
      if (known === undefined) listsOf.set(name, [list]);
      else known.push(list);
    }
  return listsOf;
};

/** Makes summaries for one question; `undefined` for an entry that it does not concern. */
export const summariser = ({ lists, all }: SummaryQuestion): ((entry: Entry) => EntrySummary | undefined) => {
  const listsOf = listsByTag(lists);
  const none: readonly boolean[] = lists.map(() => false);
  return (entry) => {
    let carries: boolean[] | undefined;
    for (const name of listsOf.size === 0 ? [] : entry.tags)
      for (const list of listsOf.get(name) ?? []) (carries ??= [...none])[list] = true;
    if (carries === undefined && !all) return undefined;
    const { key, labels, sequence, createdAt, maxAge, keptFor, response } = entry;
    const hasEtag = response.etag !== undefined;
    const times = keptFor === undefined ? { createdAt, maxAge } : { createdAt, maxAge, keptFor };
    return { key, labels, sequence, ...times, size: sizeOf(entry), hasEtag, carries: carries ?? none };
  };
};
