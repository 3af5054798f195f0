import type { Public, UID } from '@strapi/strapi';

/**
 * Editors complete the uids in the types that Strapi generates for the application. Any other uid may be written as
 * well: these types are as old as the last start of `strapi develop`, and the boot checks uids against all content
 * types.
 */
export type ContentTypeUid = UID.ContentType | (string & {});

/** Excludes a content type from `'*'`. Editors complete only the application's own types, which `'*'` stands for. */
export type ExcludedContentType = `!${Extract<UID.ContentType, `api::${string}`>}`;

/** The core routes of a content type under the default prefix, by its schema. */
type CoreRoutesOf<Schema> = Schema extends { kind: 'singleType'; info: { singularName: infer Name extends string } }
  ? `/api/${Name}`
  : Schema extends { info: { pluralName: infer Name extends string } }
    ? `/api/${Name}` | `/api/${Name}/:id`
    : never;

type ApiUid = Extract<UID.ContentType, `api::${string}`>;

/** Core routes of the application's content types are completed; any other path may be written. */
export type RoutePath = { [Uid in ApiUid]: CoreRoutesOf<Public.ContentTypeSchemas[Uid]> }[ApiUid] | (string & {});
