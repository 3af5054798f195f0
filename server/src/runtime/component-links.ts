import type { Core } from '@strapi/strapi';
import type { ComponentLink } from '../observe/table-catalog';

/** What a model's metadata tells of an attribute that is a component (`transform-content-types-to-models` in Strapi). */
interface AttributeMetadata {
  readonly type: string;
  readonly target?: string;
  readonly joinTable?: {
    readonly name: string;
    readonly joinColumn: { readonly name: string };
    readonly inverseJoinColumn?: { readonly name: string };
    readonly on?: { readonly field?: string };
  };
}

/** The column of such a join table that names the attribute. */
const FIELD = 'field';

/** The join tables by which content types and components hold components. */
export const componentLinks = (strapi: Core.Strapi): ComponentLink[] => {
  const links = new Map<string, ComponentLink & { readonly components: Map<string, string> }>();
  for (const { tableName, attributes } of strapi.db.metadata.values()) {
    for (const { target, joinTable } of Object.values(attributes) as AttributeMetadata[]) {
      const { name, joinColumn, inverseJoinColumn, on } = joinTable ?? {};
      if (name === undefined || joinColumn === undefined || inverseJoinColumn === undefined) continue;
      if (on?.field === undefined || target === undefined || !strapi.db.metadata.has(target)) continue;
      const table = name.toLowerCase();
      const link = links.get(table) ?? {
        table,
        owner: joinColumn.name.toLowerCase(),
        ownerTable: tableName.toLowerCase(),
        component: inverseJoinColumn.name.toLowerCase(),
        field: FIELD,
        components: new Map<string, string>(),
      };
      links.set(table, link);
      link.components.set(on.field, strapi.db.metadata.get(target).tableName.toLowerCase());
    }
  }
  return [...links.values()];
};
