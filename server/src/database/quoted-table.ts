import type { LookUpAccess } from './connection-access';
import type { TableCatalog } from './table-catalog';

/** A table as it is spelled and quoted in a statement of the observer's own. */
export const quotedTable = (
  table: string,
  catalog: TableCatalog,
  access: Pick<LookUpAccess, 'quoteTable' | 'quoteColumn'>,
): string => {
  const facts = catalog.facts(table);
  return facts?.schema === undefined
    ? access.quoteTable(facts?.name ?? table)
    : `${access.quoteColumn(facts.schema)}.${access.quoteColumn(facts.name)}`;
};
