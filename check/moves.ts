// Other parts of the project that import this file need the type of `?raw` imports.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./page.d.ts" />
import page from '../docs/migrating.md?raw';

/** The name of this plugin's package. */
export const PLUGIN_NAME = 'strapi-plugin-response-cache';

/** What becomes of an option of another cache plugin, in the words of docs/migrating.md. */
export const OUTCOMES = {
  same: 'the same',
  differs: 'differs',
  write: 'needs rewriting',
  none: 'no effect',
} as const;

export type Outcome = keyof typeof OUTCOMES;

/** A row of docs/migrating.md: what something in another cache plugin corresponds to here. */
export interface Move {
  readonly there: string;
  readonly here: string;
}

/** A row about one option or several. */
export interface OptionMove extends Move {
  readonly outcome: Outcome;
}

export interface Moves {
  readonly options: readonly OptionMove[];
  /** What differs whatever the options are. */
  readonly beside: readonly Move[];
}

/** Another cache plugin that an application may come from. */
export interface Origin extends Moves {
  readonly name: OriginName;
  readonly package: string;
  /** Its provider packages, which are removed with it. */
  readonly providers: readonly string[];
  /** Its key in config/plugins. */
  readonly key: 'rest-cache' | 'strapi-cache';
  /** What becomes of an option of which the tables say nothing. Left out: it is the same here. */
  readonly others?: Outcome;
}

export type OriginName = 'plugin-rest-cache' | 'strapi-cache' | 'strapi-plugin-rest-cache';

/** The cells of each row of a table. Links become their text: their targets mean nothing in a terminal. */
const rowsOf = (markdown = ''): string[][] =>
  markdown
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /))
    .map((cells) => cells.map((cell) => cell.replaceAll('\\|', '|').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')));

/** Reads the tables from docs/migrating.md, so that `check` reports what the page says. */
const movesFrom = (name: OriginName): Moves => {
  const [, tables = ''] = new RegExp(`<!-- moves from ${name} -->([^]*?)<!-- end -->`).exec(page) ?? [];
  const [options, beside] = tables.split('<!-- beside the options -->').map(rowsOf);
  return {
    options: (options ?? []).map(([there = '', here = '', outcomeText]) => {
      const outcome = (Object.keys(OUTCOMES) as Outcome[]).find((each) => OUTCOMES[each] === outcomeText);
      if (outcome === undefined) throw new Error(`docs/migrating.md: "${outcomeText}" is no outcome`);
      return { there, here, outcome };
    }),
    beside: (beside ?? []).map(([there = '', here = '']) => ({ there, here })),
  };
};

/** Its options have the names of this plugin's. */
export const COMMUNITY: Origin = {
  name: 'plugin-rest-cache',
  package: '@strapi-community/plugin-rest-cache',
  providers: ['@strapi-community/provider-rest-cache-memory', '@strapi-community/provider-rest-cache-redis'],
  key: 'rest-cache',
  ...movesFrom('plugin-rest-cache'),
};

/** For applications that come from Strapi 4, after Strapi's own migration to version 5. */
const OF_STRAPI_4 = movesFrom('strapi-plugin-rest-cache');

export const ORIGINS: readonly Origin[] = [
  COMMUNITY,
  {
    name: 'strapi-cache',
    package: 'strapi-cache',
    providers: [],
    key: 'strapi-cache',
    // None of its options has the same name here.
    others: 'none',
    ...movesFrom('strapi-cache'),
  },
  {
    name: 'strapi-plugin-rest-cache',
    package: 'strapi-plugin-rest-cache',
    providers: ['memory', 'redis', 'couchbase', 'memcached'].map((name) => `strapi-provider-rest-cache-${name}`),
    key: 'rest-cache',
    // @strapi-community/plugin-rest-cache is its later version, so what holds for that holds for this as well.
    options: [...OF_STRAPI_4.options, ...COMMUNITY.options],
    beside: [...OF_STRAPI_4.beside, ...COMMUNITY.beside],
  },
];

export const ORIGIN_NAMES: readonly OriginName[] = ORIGINS.map(({ name }) => name);
