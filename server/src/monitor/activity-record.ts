import { z } from 'zod';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import { actor, type Actor } from './actor';

const parameters = z.record(z.string(), z.union([z.string(), z.number()])).readonly();

const isText = (value: unknown): boolean => typeof value === 'string';

/** What was purged by hand. Callers choose documents and keys: not all of a long list, or of a long URL, is kept. */
const purgeSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everything') }),
  z.object({ kind: z.literal('content-type'), uid: z.string(), params: parameters.optional() }),
  z.object({
    kind: z.literal('documents'),
    uid: z.string(),
    /** The first few of `count`. */
    documentIds: z.array(z.string()).readonly(),
    count: z.number(),
  }),
  z.object({ kind: z.literal('entry'), url: z.string() }),
  z.object({ kind: z.literal('entries'), count: z.number() }),
  /** What code of the application passed to `cacheStore.invalidate`. */
  z.object({ kind: z.literal('tags') }),
]);

export type PurgeSubject = z.infer<typeof purgeSubject>;

/** A purge by hand, or a commit that stamped tags. */
export interface ActivityRecord {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: Actor;
  /** `undefined` for a write, whose tags show what was written. */
  readonly purged: PurgeSubject | undefined;
  /** The first {@link MAX_TAGS_KEPT} of the stamped tags. */
  readonly tags: readonly Tag[];
  readonly sequence: Sequence | undefined;
  /** Number of entries that it removed; `undefined` if the store does not report it. */
  entries: number | undefined;
}

/** Maximum number of tags in one record; they take about 15 KB. */
export const MAX_TAGS_KEPT = 300;

/** The last moment that is a date in JavaScript. */
const LAST = 8.64e15;

/** Schema of a record that is read from a store: another release, or another program, may have written it. */
const shared = z.object({
  at: z.number().min(0).max(LAST),
  actor,
  purged: purgeSubject.optional(),
  tags: z.array(z.custom<Tag>(isText)),
  entries: z.number().optional(),
});

/** Serialises a record for other processes. `id` means nothing to them, but keeps records of one moment apart. */
export const recordToText = ({ id, at, actor, purged, tags, entries }: ActivityRecord): string =>
  JSON.stringify({ id, at, actor, purged, tags, entries });

/** `undefined` if the text is no record. */
export const recordFromText = (text: string): Omit<ActivityRecord, 'id'> | undefined => {
  try {
    const { purged, entries, ...record } = shared.parse(JSON.parse(text));
    return { ...record, purged, entries, sequence: undefined };
  } catch {
    return undefined;
  }
};
