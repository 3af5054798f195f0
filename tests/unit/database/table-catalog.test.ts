import { describe, expect, it } from 'vitest';
import type {
  DatabaseDescription,
  DescribedTable,
  ForeignKey,
} from '../../../server/src/database/database-description';
import { TableCatalog } from '../../../server/src/database/table-catalog';

const schema = { tables: [{ name: 'docs', columns: [{ name: 'id' }], foreignKeys: [] }] };

const description: DatabaseDescription = {
  home: 'public',
  tables: new Map(),
  others: new Map([['docs', 'a view']]),
  relations: new Set(['docs']),
  foreignKeys: [],
  ownFunctions: new Set(),
  rowFunctions: new Set(),
};

const docs: DescribedTable = {
  name: 'docs',
  schema: 'public',
  filledByDatabase: new Set(),
  filledOnUpdate: new Set(),
  primaryKey: ['id'],
  uniqueKeys: [['id']],
  hasOtherUniqueKeys: false,
  lookUps: new Map(),
  hasTriggers: false,
};

describe('a catalog', () => {
  const catalog = new TableCatalog(schema);

  it('stays what it was when the database describes itself', () => {
    const described = catalog.describedBy(description);
    expect(described.whyNotPlain('docs')).toBe('a view');
    expect(described.names).toBe(description);
    expect(catalog.whyNotPlain('docs')).toBe('a name that the database has not described yet');
    expect(catalog.names).toBeUndefined();
  });

  it('takes no name for a plain table while it is expired, and stays what it was', () => {
    const described = catalog.describedBy(description);
    const expired = described.expired();
    expect(expired.whyNotPlain('docs')).toBe('a name that the database has not described yet');
    expect(expired.names).toBe(description);
    expect(described.whyNotPlain('docs')).toBe('a view');
  });

  it('is another after each expiry, so that nothing worked out under the last one is kept', () => {
    const expired = catalog.expired();
    expect(expired.expired()).not.toBe(expired);
    expect(expired.describedBy({ ...description, others: new Map() }).whyNotPlain('docs')).toBe(
      'not a table that the database has described',
    );
  });

  it('knows a foreign key once that the database holds twice, as Strapi makes them on SQLite', () => {
    const foreignKey: ForeignKey = {
      table: 'docs_author_lnk',
      columns: ['doc_id'],
      target: 'docs',
      targetColumns: ['id'],
      onDelete: 'cascade',
      onUpdate: 'none',
    };
    const other: ForeignKey = { ...foreignKey, columns: ['other_id'] };
    const tables = new Map([['docs', docs]]);
    const foreignKeys = [foreignKey, other, { ...foreignKey }];
    const described = catalog.describedBy({ ...description, tables, foreignKeys });
    expect(described.facts('docs')?.referencedBy).toEqual([foreignKey, other]);
  });
});
