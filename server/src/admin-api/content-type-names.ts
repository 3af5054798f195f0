import type { Core } from '@strapi/strapi';

/** A content type as people call it. */
export interface NamedContentType {
  readonly uid: string;
  readonly displayName: string;
}

interface SchemaInfo {
  readonly info?: { readonly displayName?: string };
}

export const namedContentType = (strapi: Core.Strapi, uid: string): NamedContentType => {
  const schema = (strapi.contentTypes as unknown as Readonly<Record<string, SchemaInfo>>)[uid];
  return { uid, displayName: schema?.info?.displayName ?? uid };
};

const uidsByTable = new WeakMap<Core.Strapi, ReadonlyMap<string, string>>();

/** The content type that a table (in lower case) is the main table of. */
export const contentTypeOfTable = (strapi: Core.Strapi, table: string): string | undefined => {
  let known = uidsByTable.get(strapi);
  if (known === undefined) {
    known = new Map(
      Object.keys(strapi.contentTypes)
        .filter((uid) => strapi.db.metadata.has(uid))
        .map((uid) => [strapi.db.metadata.get(uid).tableName.toLowerCase(), uid]),
    );
    uidsByTable.set(strapi, known);
  }
  return known.get(table);
};
