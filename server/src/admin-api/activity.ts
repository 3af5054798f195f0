import type { Core, UID } from '@strapi/strapi';
import { EVERYTHING, type Tag } from '../cache/tag';
import { documentOf, tableOf } from '../dependencies/dependency-tags';
import type { ActivityRecord, PurgeSubject } from '../monitor/activity-record';
import type { Actor } from '../monitor/actor';
import type { RestCache } from '../plugin/rest-cache';
import { contentTypeOfTable, namedContentType, type NamedContentType } from './content-types';
import { documentTitles } from './document-titles';

/** What a write concerned, in terms of the content model. */
export type WrittenSubject =
  | { readonly kind: 'everything' }
  /** `documentIds` are the first few of `count`. */
  | {
      readonly kind: 'documents';
      readonly uid: string;
      readonly documentIds: readonly string[];
      readonly count: number;
    }
  /** The content types whose main tables were written, and the written tables that are no type's main table. */
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
    const table = tableOf(name);
    tables.add(table);
    const documentId = documentOf(name)?.documentId;
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

/** What was purged or written, with the names a person needs to recognise it. */
export type ListedSubject =
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'content-type';
      readonly contentType: NamedContentType;
      readonly params: Readonly<Record<string, string | number>> | null;
    }
  | {
      readonly kind: 'documents';
      readonly contentType: NamedContentType;
      readonly documentIds: readonly string[];
      readonly count: number;
      /** The title of the first document, if the admin who asks may read it in the content manager. */
      readonly title?: string;
      readonly isSingleType: boolean;
    }
  | { readonly kind: 'entry'; readonly key: string }
  | { readonly kind: 'entries'; readonly count: number }
  | { readonly kind: 'tables'; readonly contentTypes: readonly NamedContentType[]; readonly tables: readonly string[] };

export interface ListedActivity {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'purge' | 'write';
  readonly actor: Actor;
  readonly subject: ListedSubject;
  /** Number of entries that it removed; `null` if the store does not report it. */
  readonly entries: number | null;
}

/** The latest purges and writes, newest first, with titles of documents that the admin with this ability may read. */
export const listActivity = async (
  { strapi, observability }: RestCache,
  userAbility: unknown,
): Promise<ListedActivity[]> => {
  const listed = (await observability.activity.readAll()).map((record) => listedActivity(strapi, record));
  const ids = new Map<string, Set<string>>();
  for (const { subject } of listed) {
    const [first] = subject.kind === 'documents' ? subject.documentIds : [];
    if (subject.kind !== 'documents' || first === undefined) continue;
    const { uid } = subject.contentType;
    ids.set(uid, (ids.get(uid) ?? new Set()).add(first));
  }
  const titles = new Map<string, string>();
  for (const [uid, documentIds] of ids) {
    // Titles are a convenience: if they cannot be read, the activity is listed without them.
    const found = await documentTitles(strapi, userAbility, uid, [...documentIds]).catch(
      () => new Map<string, string>(),
    );
    for (const [documentId, title] of found) titles.set(`${uid}/${documentId}`, title);
  }
  return listed.map((activity) => {
    const { subject } = activity;
    if (subject.kind !== 'documents') return activity;
    const title = titles.get(`${subject.contentType.uid}/${subject.documentIds[0] ?? ''}`);
    return title === undefined ? activity : { ...activity, subject: { ...subject, title } };
  });
};

const isSingleType = (strapi: Core.Strapi, uid: string): boolean =>
  strapi.contentTypes[uid as UID.ContentType]?.kind === 'singleType';

export const listedActivity = (
  strapi: Core.Strapi,
  { id, at, actor, purged, tags, entries }: ActivityRecord,
): ListedActivity => {
  const subject =
    purged === undefined || purged.kind === 'tags'
      ? writtenSubject(tags, (table) => contentTypeOfTable(strapi, table))
      : purged;
  const kind = purged === undefined ? 'write' : 'purge';
  return { id, at, kind, actor, subject: named(strapi, subject), entries: entries ?? null };
};

const named = (
  strapi: Core.Strapi,
  subject: Exclude<PurgeSubject, { kind: 'tags' }> | WrittenSubject,
): ListedSubject => {
  switch (subject.kind) {
    case 'content-type': {
      const { kind, uid, params = null } = subject;
      return { kind, contentType: namedContentType(strapi, uid), params };
    }
    case 'documents': {
      const { kind, uid, documentIds, count = documentIds.length } = subject;
      const contentType = namedContentType(strapi, uid);
      return { kind, contentType, documentIds, count, isSingleType: isSingleType(strapi, uid) };
    }
    case 'tables': {
      const { kind, uids, tables } = subject;
      return { kind, contentTypes: uids.map((uid) => namedContentType(strapi, uid)), tables };
    }
    default:
      return subject;
  }
};
