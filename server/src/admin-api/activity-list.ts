import type { Core } from '@strapi/strapi';
import type { ActivityRecord, PurgeSubject } from '../monitor/activity';
import type { Actor } from '../monitor/actor';
import { contentTypeOfTable, namedContentType, type NamedContentType } from './content-type-names';
import type { RestCache } from '../plugin/rest-cache';
import { writtenSubject } from '../monitor/written-subject';

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
    }
  | { readonly kind: 'entry'; readonly key: string }
  | { readonly kind: 'tables'; readonly contentTypes: readonly NamedContentType[]; readonly tables: readonly string[] };

export interface ListedActivity {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'purge' | 'write';
  readonly actor: Actor;
  readonly subject: ListedSubject;
  /** Entries it removed; `null` where the store does not tell. */
  readonly entries: number | null;
}

/** The latest purges and writes, newest first. */
export const listActivity = ({ strapi, observability }: RestCache): ListedActivity[] =>
  observability.activity.records().map((record) => listedActivity(strapi, record));

export const listedActivity = (strapi: Core.Strapi, record: ActivityRecord): ListedActivity => ({
  id: record.id,
  at: record.at,
  kind: record.purged === undefined ? 'write' : 'purge',
  actor: record.actor,
  subject: record.purged === undefined ? written(strapi, record) : purged(strapi, record.purged, record),
  entries: record.entries ?? null,
});

const purged = (strapi: Core.Strapi, subject: PurgeSubject, record: ActivityRecord): ListedSubject => {
  switch (subject.kind) {
    case 'everything':
    case 'entry':
      return subject;
    case 'content-type':
      return {
        kind: 'content-type',
        contentType: namedContentType(strapi, subject.uid),
        params: subject.params ?? null,
      };
    case 'documents': {
      const { uid, documentIds, count = documentIds.length } = subject;
      return { kind: 'documents', contentType: namedContentType(strapi, uid), documentIds, count };
    }
    case 'tags':
      return written(strapi, record);
  }
};

const written = (strapi: Core.Strapi, { tags }: ActivityRecord): ListedSubject => {
  const subject = writtenSubject(tags, (table) => contentTypeOfTable(strapi, table));
  switch (subject.kind) {
    case 'everything':
      return subject;
    case 'documents': {
      const { documentIds, count } = subject;
      return { kind: 'documents', contentType: namedContentType(strapi, subject.uid), documentIds, count };
    }
    case 'tables':
      return {
        kind: 'tables',
        contentTypes: subject.uids.map((uid) => namedContentType(strapi, uid)),
        tables: subject.tables,
      };
  }
};
