import { z } from 'zod';
import type { CacheKey } from '../cache/key';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import { actor, type Actor } from './actor';

const parameters = z.record(z.string(), z.union([z.string(), z.number()])).readonly();

const isText = (value: unknown): boolean => typeof value === 'string';

/** What was purged by hand. */
const purgeSubject = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('everything') }),
  z.object({ kind: z.literal('content-type'), uid: z.string(), params: parameters.optional() }),
  z.object({
    kind: z.literal('documents'),
    uid: z.string(),
    documentIds: z.array(z.string()).readonly(),
    /** Where not all are listed. */
    count: z.number().optional(),
  }),
  z.object({ kind: z.literal('entry'), key: z.custom<CacheKey>(isText) }),
  z.object({ kind: z.literal('entries'), count: z.number() }),
  /** Named by code of the application. */
  z.object({ kind: z.literal('tags') }),
]);

export type PurgeSubject = z.infer<typeof purgeSubject>;

/** One purge, or one commit that stamped something. */
export interface ActivityRecord {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: Actor;
  /** `undefined` for a write: its tags tell what was written. */
  readonly purged: PurgeSubject | undefined;
  /** The first {@link MAX_TAGS_KEPT} of what was stamped. */
  readonly tags: readonly Tag[];
  readonly sequence: Sequence | undefined;
  /** Entries it removed; `undefined` where the store does not tell. */
  entries: number | undefined;
}

/** Tags kept of one record; about 15 KB. */
export const MAX_TAGS_KEPT = 300;

/** Documents named, and characters kept of a text, of one purge: a caller chooses both. */
const MAX_DOCUMENTS_KEPT = 20;
const MAX_TEXT_KEPT = 300;

/** So much of a subject as is kept. */
export const keptSubject = (subject: PurgeSubject): PurgeSubject => {
  switch (subject.kind) {
    case 'documents': {
      const { documentIds } = subject;
      return { ...subject, documentIds: documentIds.slice(0, MAX_DOCUMENTS_KEPT), count: documentIds.length };
    }
    case 'entry':
      return { kind: 'entry', key: keptText(subject.key) as CacheKey };
    case 'content-type': {
      if (subject.params === undefined) return subject;
      const params = Object.entries(subject.params).map(([name, value]) => [name, keptText(value)]);
      return { ...subject, params: Object.fromEntries(params) as typeof subject.params };
    }
    default:
      return subject;
  }
};

const keptText = (written: string | number): string | number =>
  typeof written === 'string' && written.length > MAX_TEXT_KEPT ? `${written.slice(0, MAX_TEXT_KEPT)}…` : written;

/** What a record is when it comes out of a store: another release may have written it, or somebody else. */
const shared = z.object({
  at: z.number(),
  actor,
  purged: purgeSubject.optional(),
  tags: z.array(z.custom<Tag>(isText)),
  entries: z.number().optional(),
});

/** For other processes. The number means something to this one alone, and tells records of one moment apart. */
export const recordToText = ({ id, at, actor, purged, tags, entries }: ActivityRecord): string =>
  JSON.stringify({ id, at, actor, purged, tags, entries });

/** `undefined` for what is no record. */
export const recordFromText = (text: string): Omit<ActivityRecord, 'id'> | undefined => {
  try {
    const { purged, entries, ...record } = shared.parse(JSON.parse(text));
    return { ...record, purged, entries, sequence: undefined };
  } catch {
    return undefined;
  }
};
