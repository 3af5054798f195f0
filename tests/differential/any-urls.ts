import type { CachedUrl } from './urls';
import type { Row } from './content';
import { ARTICLE, AUTHOR, CATEGORY, EDITOR, FILE, HOMEPAGE, TAG, type World } from './world';

/*
 * Random URLs, to find what nobody thought of: lists and pages with random sort, filters, fields and populate, over
 * everything that the schemas name.
 */

const PATHS: Readonly<Record<string, string>> = {
  [ARTICLE]: '/api/articles',
  [AUTHOR]: '/api/authors',
  [CATEGORY]: '/api/categories',
  [TAG]: '/api/tags',
  [EDITOR]: '/api/editors',
  [HOMEPAGE]: '/api/homepage',
  [FILE]: '/api/upload/files',
};

/** Attributes that every type has, whatever its schema names. */
const OF_EVERY_TYPE: readonly string[] = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt'];

const COMPARISONS: readonly string[] = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn'];
const OF_TEXTS: readonly string[] = [...COMPARISONS, '$eqi', '$contains', '$notContainsi', '$startsWith', '$endsWithi'];

interface Attribute {
  readonly type: string;
  readonly target?: string;
  readonly component?: string;
}

/** The path of a column: of the type's own, or of a relation, a component or a file (such as `author.name`). */
interface Column {
  readonly path: readonly string[];
  readonly uid: string;
  readonly isText: boolean;
}

export class AnyUrls {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** One URL. Strapi refuses some of them. */
  async next(): Promise<CachedUrl> {
    const { random } = this.#world;
    const uid = random.below(2) === 0 ? ARTICLE : random.pick(Object.keys(PATHS));
    const isList = uid !== HOMEPAGE && (uid === FILE || random.below(4) > 0);
    const one = isList || uid === HOMEPAGE ? '' : `/${(await this.#world.any(uid)).documentId}`;
    const parts: string[] = [];
    if (random.below(5) === 0) parts.push('status=draft');
    if (random.below(5) === 0) parts.push('locale=fr');
    if (isList && random.below(4) > 0) parts.push(`sort=${this.#sort(uid)}`);
    if (isList && random.below(3) > 0) parts.push(...(await this.#filters(uid, 'filters')));
    if (isList && random.below(6) === 0) parts.push(`_q=${await this.#searched(uid)}`);
    if (isList) parts.push(...this.#page());
    if (random.below(3) === 0) parts.push(...this.#fields(uid, 'fields'));
    if (random.below(2) === 0) parts.push(...(await this.#populate(uid, 'populate', 2)));
    return { family: uid, path: encodeURI(`${PATHS[uid] ?? ''}${one}?${parts.join('&')}`) };
  }

  #attributes(uid: string): ReadonlyArray<readonly [name: string, attribute: Attribute]> {
    const { attributes } = this.#world.strapi.getModel(uid as never) as { attributes: Record<string, Attribute> };
    return Object.entries(attributes);
  }

  #columns(uid: string): readonly Column[] {
    const texts = ['string', 'text', 'richtext', 'uid', 'email', 'enumeration'];
    const plain = [...texts, 'integer', 'decimal', 'date', 'datetime', 'boolean'];
    const own = this.#attributes(uid).filter(([, { type }]) => plain.includes(type));
    return [
      ...OF_EVERY_TYPE.map((name) => ({ path: [name], uid, isText: false })),
      ...own.map(([name, { type }]) => ({ path: [name], uid, isText: texts.includes(type) })),
    ];
  }

  #relations(uid: string): ReadonlyArray<readonly [name: string, target: string]> {
    return this.#attributes(uid).flatMap(([name, { type, target, component }]) => {
      if (name === 'createdBy' || name === 'updatedBy') return [];
      const reached = type === 'media' ? 'plugin::upload.file' : (target ?? component);
      return reached === undefined ? [] : [[name, reached] as const];
    });
  }

  /** A random column: often of the type itself, sometimes of a type it is related to. */
  #anyColumn(uid: string): Column {
    const { random } = this.#world;
    const relations = this.#relations(uid);
    if (relations.length === 0 || random.below(3) > 0) return random.pick(this.#columns(uid));
    const [name, target] = random.pick(relations);
    const column = random.below(4) === 0 ? this.#anyColumn(target) : random.pick(this.#columns(target));
    return { ...column, path: [name, ...column.path] };
  }

  #sort(uid: string): string {
    const { random } = this.#world;
    const item = (): string => `${this.#anyColumn(uid).path.join('.')}${random.pick(['', ':asc', ':desc'])}`;
    return Array.from({ length: random.pick([1, 1, 2]) }, item).join(',');
  }

  #page(): string[] {
    const { random } = this.#world;
    return (
      [
        [`pagination[pageSize]=${1 + random.below(6)}`],
        [`pagination[pageSize]=${1 + random.below(4)}`, `pagination[page]=${1 + random.below(3)}`],
        [`pagination[start]=${random.below(4)}`, `pagination[limit]=${1 + random.below(4)}`],
        ['pagination[pageSize]=3', 'pagination[withCount]=false'],
        [],
      ][random.below(5)] ?? []
    );
  }

  #fields(uid: string, key: string): string[] {
    const { random } = this.#world;
    const names = this.#columns(uid).map(({ path }) => path[0] ?? '');
    return random.sample(names, 1 + random.below(3)).map((name, index) => `${key}[${index}]=${name}`);
  }

  async #filters(uid: string, key: string): Promise<string[]> {
    const { random } = this.#world;
    const one = (at: string): Promise<string> => this.#filter(this.#anyColumn(uid), at);
    switch (random.below(5)) {
      case 0:
        return Promise.all([one(`${key}[$or][0]`), one(`${key}[$or][1]`)]);
      case 1:
        return [await one(`${key}[$not]`)];
      case 2:
        return Promise.all([one(`${key}[$and][0]`), one(`${key}[$and][1]`)]);
      default:
        return [await one(key)];
    }
  }

  async #filter({ path, uid, isText }: Column, key: string): Promise<string> {
    const { random } = this.#world;
    const at = `${key}${path.map((name) => `[${name}]`).join('')}`;
    if (random.below(6) === 0) return `${at}[${random.pick(['$null', '$notNull'])}]=true`;
    const operator = random.pick(isText ? OF_TEXTS : COMPARISONS);
    const value = await this.#value(uid, path.at(-1) ?? '');
    if (operator === '$in' || operator === '$notIn') {
      const other = await this.#value(uid, path.at(-1) ?? '');
      return `${at}[${operator}][0]=${value}&${at}[${operator}][1]=${other}`;
    }
    const isPart = isText && !COMPARISONS.includes(operator) && operator !== '$eqi';
    return `${at}[${operator}]=${isPart ? value.slice(random.below(3), 3 + random.below(4)) : value}`;
  }

  /** A part of a value that some row has. */
  async #searched(uid: string): Promise<string> {
    const { random } = this.#world;
    const value = await this.#value(uid, random.pick(this.#columns(uid)).path[0] ?? '');
    return value.slice(random.below(3), 3 + random.below(4));
  }

  /** A value that some row has in this column. */
  async #value(uid: string, name: string): Promise<string> {
    const rows: readonly Row[] = await this.#world.rows(uid);
    const value = rows.length === 0 ? undefined : this.#world.random.pick(rows)[name];
    const text = typeof value === 'string' ? value : value === undefined ? '1' : JSON.stringify(value);
    return text.replace(/[^\w .:@-]/g, '').slice(0, 60);
  }

  async #populate(uid: string, key: string, depth: number): Promise<string[]> {
    const { random } = this.#world;
    const relations = this.#relations(uid);
    if (relations.length === 0 || random.below(4) === 0) return [`${key}=*`];
    const parts: string[] = [];
    for (const [name, target] of random.sample(relations, 1 + random.below(2))) {
      const at = `${key}[${name}]`;
      const more: string[] = [];
      if (random.below(3) === 0) more.push(`${at}[sort]=${this.#sort(target)}`);
      if (random.below(3) === 0) more.push(...this.#fields(target, `${at}[fields]`));
      if (random.below(4) === 0) more.push(`${at}[limit]=${1 + random.below(2)}`);
      if (random.below(8) === 0) more.push(`${at}[start]=${random.below(2)}`);
      if (random.below(3) === 0) more.push(...(await this.#filters(target, `${at}[filters]`)));
      if (depth > 1 && random.below(2) === 0)
        more.push(...(await this.#populate(target, `${at}[populate]`, depth - 1)));
      parts.push(...(more.length === 0 ? [`${at}=true`] : more));
    }
    return parts;
  }
}
