import type { Core } from '@strapi/strapi';
import type { Url } from './urls';

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

  #nested(
    name: string,
    { type, target = '', component = '', components = [] }: Attribute,
    depth: number,
  ): string | undefined {
    if (type === 'media') return `${name} { name url mime }`;
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

const asked = (query: string, variables: object = {}): Url => ({
  name: 'graphql',
  path: `/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(JSON.stringify(variables))}`,
  headers: { 'apollo-require-preflight': 'true' },
  // Whether a caller may ask for it decides whether there are errors, and middlewares in front may read headers.
  expected: 'perhaps',
});

/** The application's reads by GraphQL: with aliases, fragments, variables, filters, pages, relations, locales and drafts. */
export const graphqlUrls = (strapi: Core.Strapi): readonly Url[] => {
  const selections = new Selections(strapi);
  const utils = strapi.plugin('graphql').service<{ readonly naming: Names }>('utils');
  const nameOf = (kind: string, model: Model): string => utils.naming[kind]?.(model) ?? '';
  const types = (Object.values(strapi.contentTypes) as unknown as Model[]).filter(({ uid }) => uid.startsWith('api::'));
  return types.flatMap((model): Url[] => {
    const isLocalized = model.pluginOptions?.i18n?.localized === true;
    const isDrafted = model.options?.draftAndPublish === true;
    const plain = selections.plain(model);
    const variants = ['', ...(isLocalized ? ['locale: "fr"'] : []), ...(isDrafted ? ['status: DRAFT'] : [])];
    const given = (...all: readonly string[]): string => {
      const written = all.filter((each) => each !== '');
      return written.length === 0 ? '' : `(${written.join(', ')})`;
    };
    if (model.kind === 'singleType') {
      const root = nameOf('getFindOneQueryName', model);
      return variants.map((variant) => asked(`{ shown: ${root}${given(variant)} { ${selections.deep(model, 1)} } }`));
    }
    const [list, pages] = [nameOf('getFindQueryName', model), nameOf('getFindConnectionQueryName', model)];
    const type = nameOf('getTypeName', model);
    return [
      ...variants.map((variant) =>
        asked(`{ ${list}${given('sort: "documentId"', variant)} { ${selections.deep(model, 1)} } }`),
      ),
      asked(
        `query Page($start: Int, $limit: Int) { all: ${list}(sort: "documentId", pagination: { start: $start, limit: $limit }) { ...A } } fragment A on ${type} { ${plain} }`,
        { start: 1, limit: 2 },
      ),
      asked(
        `{ ${pages}(pagination: { pageSize: 2 }, sort: "documentId") { nodes { documentId } pageInfo { total pageCount } } }`,
      ),
      asked(`query None($id: ID) { ${list}(filters: { documentId: { eq: $id } }) { ${plain} } }`, {
        id: 'there-is-none',
      }),
      asked(
        `{ one: ${list}(pagination: { limit: 1 }) { documentId } two: ${list}(sort: "createdAt:desc", pagination: { limit: 3 }) { ${plain} } }`,
      ),
    ];
  });
};
