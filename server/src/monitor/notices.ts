import type { Core } from '@strapi/strapi';
import { LRUCache } from 'lru-cache';
import type { Reason } from '../cache/response-cache';
import { said, type Sentence } from '../cache/sentence';
import type { DescriptionSettings } from '../database/description-keeper';
import { logLine, warning, type Warning, type WarningCode } from '../config/warning';

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

  #say(level: 'warn' | 'error', notice: Warning): void {
    if (this.#said.has(notice.text) || this.#said.size >= MAX_NOTICES) return;
    this.#said.set(notice.text, notice);
    this.#log[level](logLine(notice));
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
const MAX_LINES = 100;

/**
 * Logs for each route why its responses are not stored, if code reads of the request what is not in the key; once for all
 * routes, if the code has a name.
 */
export const unkeyedReadsLog = (warn: (line: string) => void): ((path: string, reason: Reason) => void) => {
  const logged = new Set<string>();
  return (path, { code, detail }) => {
    const news = detail.includes(' (in ') ? detail : `${path} ${detail}`;
    if (code !== 'reads' || logged.has(news) || logged.size >= MAX_LINES) return;
    logged.add(news);
    warn(`[rest-cache] ${path} is not stored: it ${detail}.`);
  };
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
