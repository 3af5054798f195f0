import type { Core, UID } from '@strapi/strapi';
import { EVERYTHING, type Tag } from '../cache/tag';
import { namedBy, pathOf } from '../dependencies/tags';
import type { ActivityRecord } from '../monitor/activity-record';
import type { RestCache } from '../plugin/rest-cache';
import { contentTypeOfTable, namedContentType } from './content-types';
import { documentTitles } from './document-titles';

/** The subject of a write, in terms of the content model. */
export type WrittenSubject =
  | { readonly kind: 'everything' }
  /** `documentIds` are the first few of `count`. */
  | {
      readonly kind: 'documents';
      readonly uid: string;
      readonly documentIds: readonly string[];
      readonly count: number;
    }
  /**
   * The content types whose main tables were written, and the written tables that are no type's main table. A request
   * that has written elsewhere than in the database is named by its path among them.
   */
  | { readonly kind: 'tables'; readonly uids: readonly string[]; readonly tables: readonly string[] };

/** Maximum numbers of documents, content types and tables that are named for one write. */
const MAX_NAMED = 5;

/**
 * Derives from a write's tags what it concerned. If it wrote documents, only documents of one content type are named,
 * preferably of one of the application's own (`api::`): join tables and settings written with them are not what a
 * person would call the change. Otherwise content types and tables are named.
 *
 * @param uidOf returns the content type whose main table this is, if there is one.
 */
export const writtenSubject = (tags: readonly Tag[], uidOf: (table: string) => string | undefined): WrittenSubject => {
  if (tags.includes(EVERYTHING)) return { kind: 'everything' };
  const documents = new Map<string, Set<string>>();
  const tables = new Set<string>();
  for (const name of tags) {
    const { table = pathOf(name), documentId } = namedBy(name);
    if (table === undefined) continue;
    tables.add(table);
    const uid = documentId === undefined ? undefined : uidOf(table);
    if (documentId === undefined || uid === undefined) continue;
    documents.set(uid, (documents.get(uid) ?? new Set()).add(documentId));
  }
  const [uid] = [...documents.keys()].sort(applicationFirst);
  if (uid !== undefined) {
    const ids = [...(documents.get(uid) ?? [])];
    return { kind: 'documents', uid, documentIds: ids.slice(0, MAX_NAMED), count: ids.length };
  }
  const uids = new Set([...tables].flatMap((table) => uidOf(table) ?? []));
  const others = [...tables].filter((table) => uidOf(table) === undefined).sort();
  return { kind: 'tables', uids: [...uids].slice(0, MAX_NAMED), tables: others.slice(0, MAX_NAMED) };
};

const applicationFirst = (one: string, other: string): number =>
  Number(other.startsWith('api::')) - Number(one.startsWith('api::'));

export type ListedActivity = ReturnType<typeof listedActivity>;

type Subject = ReturnType<typeof subjectOf>;

/** Titles of documents, by content type and document id. */
type Titles = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The latest purges and writes, newest first, with titles of documents that the admin with this ability may read. */
export const listActivity = async (restCache: RestCache, userAbility: unknown): Promise<ListedActivity[]> => {
  const records = await restCache.observability.activity.readAll();
  const written = records.map((record) => ({ record, subject: subjectOf(restCache, record) }));
  const firstIds = new Map<string, Set<string>>();
  for (const { subject } of written) {
    const [first] = subject.kind === 'documents' ? subject.documentIds : [];
    if (subject.kind !== 'documents' || first === undefined) continue;
    firstIds.set(subject.uid, (firstIds.get(subject.uid) ?? new Set()).add(first));
  }
  const titles = new Map<string, ReadonlyMap<string, string>>();
  for (const [uid, ids] of firstIds) {
    // Titles are a convenience: if they cannot be read, the activity is listed without them.
    const found = await documentTitles(restCache.strapi, userAbility, uid, [...ids]).catch(() => undefined);
    if (found !== undefined) titles.set(uid, found);
  }
  return written.map(({ record, subject }) => listedActivity(restCache, record, subject, titles));
};

export const listedActivity = (
  restCache: RestCache,
  record: ActivityRecord,
  subject: Subject = subjectOf(restCache, record),
  titles: Titles = new Map(),
) => {
  const { id, at, actor, purged, entries } = record;
  return {
    id,
    /** Milliseconds since the epoch. */
    at,
    kind: purged === undefined ? ('write' as const) : ('purge' as const),
    actor,
    subject: named(restCache.strapi, subject, titles),
    /** Number of entries that it removed; `null` if the store does not report it. */
    entries: entries ?? null,
  };
};

const subjectOf = (restCache: RestCache, { purged, tags }: ActivityRecord) =>
  purged === undefined || purged.kind === 'tags'
    ? writtenSubject(tags, (table) => contentTypeOfTable(restCache, table))
    : purged;

/** The subject of a purge or a write, with the names by which a person recognises it. */
const named = (strapi: Core.Strapi, subject: Subject, titles: Titles) => {
  switch (subject.kind) {
    case 'content-type': {
      const { kind, uid, params = null } = subject;
      return { kind, contentType: namedContentType(strapi, uid), params };
    }
    case 'documents': {
      const { kind, uid, documentIds, count } = subject;
      const isSingleType = strapi.contentTypes[uid as UID.ContentType]?.kind === 'singleType';
      /** Of the first document, if the admin who asks may read it in the content manager. */
      const title = titles.get(uid)?.get(documentIds[0] ?? '');
      return { kind, contentType: namedContentType(strapi, uid), documentIds, count, title, isSingleType };
    }
    case 'tables': {
      const { kind, uids, tables } = subject;
      return { kind, contentTypes: uids.map((uid) => namedContentType(strapi, uid)), tables };
    }
    default:
      return subject;
  }
};
