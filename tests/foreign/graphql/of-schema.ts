import type { Core } from '@strapi/strapi';
import type { Url } from '../urls';
import { operationUrl } from './operation-url';

interface Attribute {
  readonly type: string;
  readonly target?: string;
  readonly relation?: string;
  readonly component?: string;
  readonly components?: readonly string[];
  readonly multiple?: boolean;
  readonly private?: boolean;
}

interface Model {
  readonly uid: string;
  readonly kind?: string;
  readonly globalId: string;
  readonly options?: { readonly draftAndPublish?: boolean };
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } };
  readonly attributes: Readonly<Record<string, Attribute>>;
}

type Names = Readonly<Record<string, (model: Model) => string>>;

/** Attributes that have a field of their own, but no plain value. */
const NOT_PLAIN: ReadonlySet<string> = new Set(['relation', 'component', 'dynamiczone', 'media', 'password']);

/** Strapi's own attributes, which no schema for clients has, or which lead to admins. */
const HIDDEN: ReadonlySet<string> = new Set(['createdBy', 'updatedBy', 'localizations', 'id']);

class Selections {
  readonly #strapi: Core.Strapi;

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
  }

  #model(uid: string): Model | undefined {
    const all = { ...this.#strapi.components, ...this.#strapi.contentTypes } as unknown as Record<string, Model>;
    return all[uid];
  }

  plain({ uid, attributes }: Model): string {
    const names = Object.entries(attributes)
      .filter(([name, attribute]) => !NOT_PLAIN.has(attribute.type) && attribute.private !== true && !HIDDEN.has(name))
      .map(([name]) => name);
    return [...names, uid.includes('::') ? 'documentId' : 'id'].join(' ');
  }

  /** Everything that a document shows, each relation as deep as `depth`. */
  deep(model: Model, depth: number): string {
    const nested = Object.entries(model.attributes).flatMap(([name, attribute]) => {
      if (attribute.private === true || HIDDEN.has(name)) return [];
      return this.#nested(name, attribute, depth) ?? [];
    });
    return [this.plain(model), ...nested].join(' ');
  }

  /** The lists of related documents: a page of each, in an order of its own, and with its count. */
  pages({ attributes }: Model): string {
    const lists = Object.entries(attributes).filter(
      ([name, { type, relation = '', target = '' }]) =>
        type === 'relation' && relation.endsWith('ToMany') && target.startsWith('api::') && !HIDDEN.has(name),
    );
    return lists
      .map(
        ([name]) =>
          `${name}(sort: "documentId:desc", pagination: { limit: $limit }) { documentId updatedAt } ` +
          `${name}_connection(pagination: { page: 1, pageSize: $limit }, filters: { documentId: { ne: $id } }) ` +
          `{ nodes { documentId } pageInfo { total page } }`,
      )
      .join(' ');
  }

  #nested(
    name: string,
    { type, target = '', component = '', components = [] }: Attribute,
    depth: number,
  ): string | undefined {
    if (type === 'media') return `${name} { name url mime alternativeText }`;
    if (type === 'component') return this.#of(name, this.#model(component), depth);
    if (type === 'relation' && depth > 0 && target.startsWith('api::'))
      return this.#of(name, this.#model(target), depth - 1);
    if (type !== 'dynamiczone') return undefined;
    const parts = components.map((uid) => this.#model(uid)).filter((model) => model !== undefined);
    return `${name} { __typename ${parts.map((model) => `... on ${model.globalId} { ${this.plain(model)} }`).join(' ')} }`;
  }

  #of(name: string, model: Model | undefined, depth: number): string | undefined {
    return model && `${name} { ${this.deep(model, depth)} }`;
  }
}

/**
 * Operations made of the application's content types: with aliases, fragments, variables, directives, filters, pages,
 * relations, locales and drafts. Each document with variables is asked with several values of them.
 */
export const operationsOfSchema = async (strapi: Core.Strapi): Promise<readonly Url[]> => {
  const types = (Object.values(strapi.contentTypes) as unknown as Model[]).filter(({ uid }) => uid.startsWith('api::'));
  return (await Promise.all(types.map((model) => operationsOfType(strapi, model)))).flat();
};

const operationsOfType = async (strapi: Core.Strapi, model: Model): Promise<readonly Url[]> => {
  const selections = new Selections(strapi);
  const { naming } = strapi.plugin('graphql').service<{ readonly naming: Names }>('utils');
  const nameOf = (kind: string): string => naming[kind]?.(model) ?? '';
  const isLocalized = model.pluginOptions?.i18n?.localized === true;
  const isDrafted = model.options?.draftAndPublish === true;
  const plain = selections.plain(model);
  const deep = selections.deep(model, 1);
  const variants = ['', ...(isLocalized ? ['locale: "fr"'] : []), ...(isDrafted ? ['status: DRAFT'] : [])];
  const given = (...all: readonly string[]): string => {
    const written = all.filter((each) => each !== '');
    return written.length === 0 ? '' : `(${written.join(', ')})`;
  };
  if (model.kind === 'singleType') {
    const root = nameOf('getFindOneQueryName');
    return variants.map((variant) => operationUrl({ query: `{ shown: ${root}${given(variant)} { ${deep} } }` }));
  }
  const one = nameOf('getFindOneQueryName');
  const list = nameOf('getFindQueryName');
  const connection = nameOf('getFindConnectionQueryName');
  const type = nameOf('getTypeName');
  const [first, last] = await Promise.all(
    (['asc', 'desc'] as const).map(async (order) => {
      const row = (await strapi.db.query(model.uid).findOne({ orderBy: { id: order } })) as { documentId: string };
      return row.documentId;
    }),
  );
  const page = `query Page($start: Int, $limit: Int) { all: ${list}(sort: "documentId", pagination: { start: $start, limit: $limit }) { ...A } } fragment A on ${type} { ${plain} }`;
  const filtered = `query Found($filters: ${type}FiltersInput, $sort: [String]) { ${list}(filters: $filters, sort: $sort) { ${plain} } }`;
  const document = `query Shown($id: ID!, $isDeep: Boolean!) { ${one}(documentId: $id) { documentId updatedAt ... @include(if: $isDeep) { ${deep} } } }`;
  const pages = selections.pages(model);
  return [
    ...variants.map((variant) =>
      operationUrl({ query: `{ ${list}${given('sort: "documentId"', variant)} { ${deep} } }` }),
    ),
    operationUrl({ query: page, variables: { start: 1, limit: 2 } }),
    operationUrl({ query: page, variables: { start: 0, limit: 2 } }),
    operationUrl({ query: page, variables: { start: 1, limit: 3 } }, { by: 'POST' }),
    operationUrl({
      query: `{ ${connection}(pagination: { pageSize: 2 }, sort: "documentId") { nodes { documentId } pageInfo { total pageCount } } }`,
    }),
    operationUrl({ query: filtered, variables: { filters: { documentId: { eq: 'there-is-none' } } } }),
    operationUrl({ query: filtered, variables: { filters: { documentId: { in: [first, last] } }, sort: ['id'] } }),
    operationUrl(
      {
        query: filtered,
        variables: { filters: { not: { documentId: { eq: first } } }, sort: ['updatedAt:desc', 'id'] },
      },
      { by: 'POST' },
    ),
    operationUrl({ query: document, variables: { id: first, isDeep: false } }),
    operationUrl({ query: document, variables: { id: last, isDeep: true } }, { by: 'POST' }),
    operationUrl({
      query: `{ one: ${list}(pagination: { limit: 1 }) { documentId } two: ${list}(sort: ["createdAt:desc", "id"], pagination: { limit: 3 }) { ${plain} } }`,
    }),
    ...(pages === ''
      ? []
      : [1, 2].map((limit) =>
          operationUrl({
            query: `query Lists($limit: Int, $id: ID) { ${list}(sort: "documentId") { documentId ${pages} } }`,
            variables: { limit, id: first },
          }),
        )),
  ];
};
