import type { Core } from '@strapi/strapi';
import { systemClock } from '../cache/clock';
import type { ResolvedStrategy } from '../config/resolved-config';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { ConnectionNames } from '../database/connection-names';
import { describeDatabase } from '../database/database-description';
import { DescriptionKeeper } from '../database/description-keeper';
import { FunctionNatures } from '../database/function-natures';
import { askKnex, observeKnex, proveObserved } from '../observe/knex-seam';
import type { ReadsElsewhere } from '../observe/reads-elsewhere';
import { currentRecording, isAuthenticating } from '../observe/recording';
import { SqlObserver } from '../observe/sql-observer';
import { createStatementMemo } from '../sql/statement-memo';
import { TableCatalog, type MorphReference } from '../database/table-catalog';
import type { Dialect } from '../sql/tokens';
import type { Provider } from '../cache/provider';
import { descriptionLog, repeatedInvalidationLog } from '../monitor/notices';
import type { Observability } from '../monitor/observability';
import { repeatAbilities } from '../lanes/repeat-abilities';

/** The part of a model's metadata that leads to the tables in which its attributes are kept. */
interface AttributeMetadata {
  readonly type: string;
  readonly component?: string;
  readonly components?: readonly string[];
  readonly joinTable?: { readonly name: string; readonly morphColumn?: MorphColumn; readonly on?: object };
  readonly morphColumn?: MorphColumn;
}

interface MorphColumn {
  readonly typeColumn: { readonly name: string };
  readonly idColumn: { readonly name: string };
}

/**
 * The tables in which a content type itself is kept: its main table, its join tables, and those of its components at
 * any depth. Not the tables of the types that it relates to.
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

/** Uids of the types in which Strapi keeps callers, their roles and their permissions. */
const IDENTITY_TYPES = /^(?:admin::|plugin::users-permissions\.)/;

/** The tables that decide who a caller is and what they may do. */
const identityTables = (strapi: Core.Strapi): ReadonlySet<string> =>
  new Set(
    [...strapi.db.metadata.keys()]
      .filter((uid) => IDENTITY_TYPES.test(uid))
      .flatMap((uid) => [...ownTables(strapi, uid)]),
  );

interface Observed {
  readonly strapi: Core.Strapi;
  readonly strategy: ResolvedStrategy;
  readonly provider: Provider;
  readonly observability: Observability;
  readonly sink: InvalidationSink;
  readonly catalog: TableCatalog;
  readonly readsElsewhere: ReadsElsewhere;
}

/**
 * The columns by which rows refer to rows of several types, by their table. Dynamic zones are left out: what they join
 * is told apart by the status of the row that has the component, which tells more than the component's type.
 */
const morphReferences = ({ db }: Core.Strapi): ReadonlyMap<string, MorphReference> => {
  const found = new Map<string, MorphReference>();
  for (const { tableName, attributes } of db.metadata.values()) {
    for (const { joinTable, morphColumn } of Object.values(attributes) as AttributeMetadata[]) {
      const columns = morphColumn ?? (joinTable?.on === undefined ? joinTable?.morphColumn : undefined);
      if (columns === undefined) continue;
      const [type, id] = [columns.typeColumn.name.toLowerCase(), columns.idColumn.name.toLowerCase()];
      found.set(joinTable?.name ?? tableName, { type, id });
    }
  }
  return found;
};

/** A catalog of the tables in Strapi's schema. */
export const catalogOf = (strapi: Core.Strapi): TableCatalog => {
  const { schema, metadata } = strapi.db;
  const morphs = morphReferences(strapi);
  return new TableCatalog(
    { tables: schema.schema.tables.map((table) => ({ ...table, morph: morphs.get(table.name) })) },
    new Map([...metadata.values()].map(({ uid, tableName }) => [uid, tableName.toLowerCase()])),
  );
};

/**
 * Begins to observe the application's database. Resolves to what is known of its tables.
 *
 * @throws Error if Strapi or knex do not look as this release expects.
 */
export const observeDatabase = async (observed: Observed): Promise<DescriptionKeeper> => {
  const { strapi, strategy, provider, sink, catalog, readsElsewhere } = observed;
  const { notices } = observed.observability;
  const dialect = strapi.db.dialect.client as Dialect;
  const schema = strapi.db.getSchemaName();
  const description = new DescriptionKeeper({
    catalog,
    clock: systemClock,
    describe: (ask) => describeDatabase(dialect, ask, schema),
    ...descriptionLog(notices),
  });
  await description.refresh({ select: askKnex(strapi.db.connection) });
  const names = new ConnectionNames(dialect);
  await names.learn(askKnex(strapi.db.connection));
  const observer = new SqlObserver({
    sink,
    catalog: () => description.catalog,
    description,
    names,
    functions: new FunctionNatures(dialect, () => description.catalog),
    onEmptied: repeatedInvalidationLog(notices),
    precision: strategy.precision,
    classify: createStatementMemo(dialect, () => description.catalog.names),
    currentRecording,
    readsElsewhere,
    isAuthenticating,
    writeRequestsOnly: !strategy.enableDocumentServiceMiddleware,
    identityTables: identityTables(strapi),
    tablesRead: provider.isOfOneProcess === true ? new Set() : undefined,
  });
  await proveObserved(strapi.db.connection, observeKnex(strapi.db.connection, observer));
  try {
    repeatAbilities(strapi);
  } catch (error) {
    // It would only save time: nothing depends on it.
    strapi.log.debug(`[rest-cache] ${String(error)}`);
  }
  return description;
};
