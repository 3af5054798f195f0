import type { Core } from '@strapi/strapi';

/** What a model's metadata tells of the tables its attributes are kept in. */
interface AttributeMetadata {
  readonly type: string;
  readonly component?: string;
  readonly components?: readonly string[];
  readonly joinTable?: { readonly name: string };
}

/**
 * The tables a content type itself is kept in: its own, its join tables, its components' in any nesting. Not those of
 * the types it relates to.
 */
export const ownTables = (strapi: Core.Strapi, uid: string): ReadonlySet<string> => {
  const tables = new Set<string>();
  const visit = (model: string): void => {
    const metadata = strapi.db.metadata.get(model);
    if (tables.has(metadata.tableName.toLowerCase())) return;
    tables.add(metadata.tableName.toLowerCase());
    for (const attribute of Object.values(metadata.attributes) as AttributeMetadata[]) {
      if (attribute.joinTable !== undefined) tables.add(attribute.joinTable.name.toLowerCase());
      if (attribute.type === 'component' && attribute.component !== undefined) visit(attribute.component);
      for (const component of attribute.components ?? []) visit(component);
    }
  };
  visit(uid);
  return tables;
};

/** What Strapi keeps callers, their roles and their permissions in. */
const IDENTITY_TYPES = /^(?:admin::|plugin::users-permissions\.)/;

/** The tables that decide who a caller is and what they may do. */
export const identityTables = (strapi: Core.Strapi): ReadonlySet<string> =>
  new Set(
    [...strapi.db.metadata.keys()]
      .filter((uid) => IDENTITY_TYPES.test(uid))
      .flatMap((uid) => [...ownTables(strapi, uid)]),
  );
