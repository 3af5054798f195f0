import type { Public, UID } from '@strapi/strapi';

/**
 * What stands in the types Strapi generates for the application is completed. Any other uid may be written: they are
 * as old as the last start of `strapi develop`, and the boot knows all uids.
 */
export type ContentTypeUid = UID.ContentType | (string & {});

/** Of `'*'`, all but this one. Only the application's own types are completed: `'*'` stands for no others. */
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
