import type { Core } from '@strapi/strapi';
import { LRUCache } from 'lru-cache';
import { said, type Sentence } from '../cache/sentence';
import type { DescriptionSettings } from '../database/description-keeper';
import { CREDENTIAL_HEADERS } from '../config/hitpass';
import type { ResolvedRoute } from '../config/resolved-config';
import { logLine, warning, type Warning, type WarningCode } from '../config/warning';
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

  warn(sentence: Sentence<WarningCode>): void {
    this.#say('warn', warning(sentence));
  }

  error(sentence: Sentence<WarningCode>): void {
    this.#say('error', warning(sentence));
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
    notices.warn(said('triggers')`the database has triggers, rules, or defaults or checks that may write, on
      ${triggered}: what they change cannot be seen, so every write to these tables invalidates everything.`);
  },
  onFailure: (error) =>
    notices.error(said('unknown-tables')`the database could not be asked for its tables, keys and triggers: nothing is
      stored and every write invalidates everything until it can (${String(error)}).`),
});

/** Maximum number of lines; a handler may make up any number of header names. */
const MAX_LINES = 200;

/**
 * Logs once for each route and header why the route's responses are not stored, and what to write in the configuration.
 * What a function reads that does not belong to the route, such as a global middleware, is logged once for all routes.
 */
export const unkeyedReadsLog = (
  warn: (line: string) => void,
): ((route: Pick<ResolvedRoute, 'path'>, names: readonly ReadName[], where: WhereRead) => void) => {
  const told = new Set<string>();
  return ({ path }, names, where) => {
    for (const name of names) {
      const { who: function_, isGlobal: isOfAll } = where(name) ?? { who: 'handler', isGlobal: false };
      const who = isOfAll ? function_ : `its ${function_}`;
      const news = `${isOfAll ? '' : path} ${who} ${name}`;
      if (told.has(news) || told.size >= MAX_LINES) continue;
      told.add(news);
      const further = isOfAll ? ' For all routes at once, write it in strategy.keys.' : '';
      warn(`[rest-cache] GET ${path} is not stored: ${who} ${sentence(name)}${further}`);
    }
  };
};

const sentence = (name: ReadName): string => {
  const [reads, otherwise] =
    name === ALL_HEADERS
      ? ['lists all request headers', 'read single headers instead']
      : name === REMOTE_ADDRESS
        ? ["reads the caller's address", 'do not cache the route']
        : CREDENTIAL_HEADERS.includes(name)
          ? [
              `reads the request header "${name}", which requests that may be cached carry here`,
              'leave hitpass at true',
            ]
          : [`reads the request header "${name}", which is not in the key`, `write keys: { useHeaders: ["${name}"] }`];
  return `${reads}. If that does not change the answer, write keys: { ignoreHeaders: ["${name}"] }; if it does, ${otherwise}.`;
};

/** A cause that invalidates everything this many times is no migration. */
const OFTEN = 10;

/** Maximum number of causes that are counted at the same time. */
const MAX_CAUSES = 200;

/** Warns once when the same cause (in a few words: `the function touch()`) invalidates everything again and again. */
export const repeatedInvalidationLog = (notices: Notices): ((cause: Sentence) => void) => {
  const counts = new LRUCache<string, number>({ max: MAX_CAUSES });
  return (cause) => {
    const count = (counts.get(cause.text) ?? 0) + 1;
    counts.set(cause.text, count);
    if (count !== OFTEN) return;
    notices.warn(said('repeated-invalidation')`everything was invalidated ${OFTEN} times because of ${cause}: the plugin
      cannot know what it changes.`);
  };
};
