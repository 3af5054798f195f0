import type { WrittenOption } from './written-options';

/** What people install. */
export const PLUGIN_NAME = 'strapi-plugin-response-cache';

/**
 * `same`: does what it did. `differs`: accepted, and does something else. `write`: to be written otherwise. `none`:
 * accepted without effect, or to be left out.
 */
export type Outcome = 'same' | 'differs' | 'write' | 'none';

/** What something of another cache plugin is here: a row of docs/migrating.md, and a line of `check`. In Markdown. */
export interface Move {
  readonly there: string;
  readonly here: string;
  readonly outcome: Outcome;
  /** The options it is about, each with `[]` for any element of a list; none where it does not depend on an option. */
  readonly options?: readonly string[];
  /** Which values of the option it is about; all, where it is left out. */
  readonly when?: (value: unknown, option: WrittenOption) => boolean;
}

/** Another cache plugin, as an application has it. */
export interface Origin {
  readonly name: OriginName;
  readonly package: string;
  /** What else goes with it. */
  readonly providers: readonly string[];
  /** Its key in config/plugins. */
  readonly key: 'rest-cache' | 'strapi-cache';
  readonly moves: readonly Move[];
}

export type OriginName = 'plugin-rest-cache' | 'strapi-cache' | 'strapi-plugin-rest-cache';

/** Where links lead to on the page leads nowhere in a terminal. */
export const inPlainText = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
