// Whoever imports this from another part of the project needs to know what `?raw` gives.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./page.d.ts" />
import page from '../docs/migrating.md?raw';

/** What people install. */
export const PLUGIN_NAME = 'strapi-plugin-response-cache';

/** What becomes of an option of another cache plugin, in the words of docs/migrating.md. */
export const OUTCOMES = {
  same: 'the same',
  differs: 'differs',
  write: 'to be written otherwise',
  none: 'no effect',
} as const;

export type Outcome = keyof typeof OUTCOMES;

/** What something of another cache plugin is here: a row of docs/migrating.md. In Markdown. */
export interface Move {
  readonly there: string;
  readonly here: string;
}

/** Of an option, or of several. */
export interface OptionMove extends Move {
  readonly outcome: Outcome;
}

export interface Moves {
  readonly options: readonly OptionMove[];
  /** What differs whatever the options are. */
  readonly beside: readonly Move[];
}

/** Another cache plugin, as an application has it. */
export interface Origin extends Moves {
  readonly name: OriginName;
  readonly package: string;
  /** What else goes with it. */
  readonly providers: readonly string[];
  /** Its key in config/plugins. */
  readonly key: 'rest-cache' | 'strapi-cache';
}

export type OriginName = 'plugin-rest-cache' | 'strapi-cache' | 'strapi-plugin-rest-cache';

/** The cells of each row of a table. */
const rowsOf = (markdown = ''): string[][] =>
  markdown
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /))
    .map((cells) => cells.map((cell) => cell.replaceAll('\\|', '|')));

/** The page is what people read before they move, and what `check` says of their own configuration. */
const movesFrom = (name: OriginName): Moves => {
  const [, tables = ''] = new RegExp(`<!-- moves from ${name} -->([^]*?)<!-- end -->`).exec(page) ?? [];
  const [options, beside] = tables.split('<!-- beside the options -->').map(rowsOf);
  return {
    options: (options ?? []).map(([there = '', here = '', words]) => {
      const outcome = (Object.keys(OUTCOMES) as Outcome[]).find((each) => OUTCOMES[each] === words);
      if (outcome === undefined) throw new Error(`docs/migrating.md: "${words}" is no outcome`);
      return { there, here, outcome };
    }),
    beside: (beside ?? []).map(([there = '', here = '']) => ({ there, here })),
  };
};

const COMMUNITY: Origin = {
  name: 'plugin-rest-cache',
  package: '@strapi-community/plugin-rest-cache',
  providers: ['@strapi-community/provider-rest-cache-memory', '@strapi-community/provider-rest-cache-redis'],
  key: 'rest-cache',
  ...movesFrom('plugin-rest-cache'),
};

/** Of Strapi 4; Strapi's own migration to version 5 comes first. */
const OF_STRAPI_4 = movesFrom('strapi-plugin-rest-cache');

export const ORIGINS: readonly Origin[] = [
  COMMUNITY,
  {
    name: 'strapi-cache',
    package: 'strapi-cache',
    providers: [],
    key: 'strapi-cache',
    ...movesFrom('strapi-cache'),
  },
  {
    name: 'strapi-plugin-rest-cache',
    package: 'strapi-plugin-rest-cache',
    providers: ['memory', 'redis', 'couchbase', 'memcached'].map((name) => `strapi-provider-rest-cache-${name}`),
    key: 'rest-cache',
    // What was so in a version of it that came later, was so then.
    options: [...OF_STRAPI_4.options, ...COMMUNITY.options],
    beside: [...OF_STRAPI_4.beside, ...COMMUNITY.beside],
  },
];

export const ORIGIN_NAMES: readonly OriginName[] = ORIGINS.map(({ name }) => name);
