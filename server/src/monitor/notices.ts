import type { Core } from '@strapi/strapi';
import type { DescriptionSettings } from '../database/description-keeper';
import { CREDENTIAL_HEADERS } from '../config/hitpass';
import type { ResolvedRoute } from '../config/resolved-config';
import { logLine, warning, type Warning } from '../config/warning';
import type { WhereRead } from '../http/unkeyed-reads';
import { ALL_HEADERS, REMOTE_ADDRESS, type ReadName } from '../http/request-reads';

/** Maximum number of notices. Their texts may contain what a database answers, so there may be any number of them. */
const MAX_NOTICES = 50;

/** Warnings that came up while the application ran. Each is logged once and shown in the panel. */
export class Notices {
  readonly #log: Pick<Core.Strapi['log'], 'warn' | 'error'>;
  /** By their texts. */
  readonly #said = new Map<string, Warning>();

  constructor(log: Pick<Core.Strapi['log'], 'warn' | 'error'>) {
    this.#log = log;
  }

  warn(told: Warning): void {
    this.#say('warn', told);
  }

  error(told: Warning): void {
    this.#say('error', told);
  }

  get all(): readonly Warning[] {
    return [...this.#said.values()];
  }

  #say(level: 'warn' | 'error', told: Warning): void {
    if (this.#said.has(told.text) || this.#said.size >= MAX_NOTICES) return;
    this.#said.set(told.text, told);
    this.#log[level](logLine(told));
  }
}

/** Warns of what makes the cache less effective in the database: triggers, or that it could not be described. */
export const descriptionLog = (notices: Notices): Pick<DescriptionSettings, 'onDescribed' | 'onFailure'> => ({
  onDescribed: ({ tables }) => {
    const triggered = [...tables].filter(([, { hasTriggers }]) => hasTriggers).map(([name]) => name);
    if (triggered.length === 0) return;
    notices.warn(
      warning(
        'triggers',
        `the database has triggers, rules, or defaults or checks that may write, on ${triggered.join(', ')}: what they ` +
          'change cannot be seen, so every write to these tables invalidates everything.',
      ),
    );
  },
  onFailure: (error) =>
    notices.error(
      warning(
        'unknown-tables',
        'the database could not be asked for its tables, keys and triggers: nothing is stored and every write invalidates ' +
          `everything until it can (${String(error)}).`,
      ),
    ),
});

/** Maximum number of names logged for one route; a handler may make up any number. */
const MAX_NAMES = 20;

/**
 * Logs once for each route and header why the route's responses are not stored, and what to write in the configuration.
 * What a function reads that does not belong to the route, such as a global middleware, is logged once for all routes.
 */
export const unkeyedReadsLog = (
  warn: (line: string) => void,
): ((route: ResolvedRoute) => (names: readonly ReadName[], where: WhereRead) => void) => {
  const toldOfAll = new Set<string>();
  return ({ path }) => {
    const told = new Set<ReadName>();
    return (names, where) => {
      const news = names.filter((name) => !told.has(name)).slice(0, MAX_NAMES - told.size);
      for (const name of news) {
        told.add(name);
        const who = where(name);
        const isOfAll = who !== undefined && !who.startsWith('its ');
        if (isOfAll && toldOfAll.has(`${who} ${name}`)) continue;
        if (isOfAll) toldOfAll.add(`${who} ${name}`);
        const further = isOfAll ? ' For all routes at once, write it in strategy.keys.' : '';
        warn(`[rest-cache] GET ${path} is not stored: ${who ?? 'its handler'} ${sentence(name)}${further}`);
      }
    };
  };
};

const sentence = (name: ReadName): string => {
  if (name === ALL_HEADERS)
    return (
      'lists all request headers. Read single headers instead, or, if ' +
      'they do not change the answer, write keys: { ignoreHeaders: ["*"] }.'
    );
  if (name === REMOTE_ADDRESS)
    return (
      "reads the caller's address. If that does not change the " +
      'answer, write keys: { ignoreHeaders: ["remote-address"] }; if it does, do not cache the route.'
    );
  if (CREDENTIAL_HEADERS.includes(name))
    return (
      `reads the request header "${name}", which requests that may be ` +
      `cached carry here. If it does not change the answer, write keys: { ignoreHeaders: ["${name}"] }; if it does, ` +
      'leave hitpass at true.'
    );
  return (
    `reads the request header "${name}", which is not in the key. ` +
    `If it changes the answer, write keys: { useHeaders: ["${name}"] }; if it does not, keys: { ignoreHeaders: ["${name}"] }.`
  );
};

/** A cause that invalidates everything this many times is no migration. */
const OFTEN = 10;

/** Maximum number of causes that are counted at the same time. */
const MAX_CAUSES = 200;

/** Warns once when the same cause (in a few words: `the function touch()`) invalidates everything again and again. */
export const repeatedInvalidationLog = (notices: Notices): ((cause: string) => void) => {
  const counts = new Map<string, number>();
  return (cause) => {
    const count = (counts.get(cause) ?? 0) + 1;
    if (counts.size >= MAX_CAUSES && count === 1) counts.clear();
    counts.set(cause, count);
    if (count === OFTEN) {
      notices.warn(
        warning(
          'repeated-invalidation',
          `everything was invalidated ${OFTEN} times because of ${cause}: the plugin cannot know what it changes.`,
        ),
      );
    }
  };
};
