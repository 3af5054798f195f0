import type { Core } from '@strapi/strapi';

/** More are not kept: the log has them all. */
const MAX_NOTICES = 50;

/** What the running application found out that its owner should know: each said once in the log, and shown in the panel. */
export class Notices {
  readonly #log: Pick<Core.Strapi['log'], 'warn' | 'error'>;
  readonly #said = new Set<string>();

  constructor(log: Pick<Core.Strapi['log'], 'warn' | 'error'>) {
    this.#log = log;
  }

  warn(text: string): void {
    if (this.#isNew(text)) this.#log.warn(`[rest-cache] ${text}`);
  }

  error(text: string): void {
    if (this.#isNew(text)) this.#log.error(`[rest-cache] ${text}`);
  }

  get all(): readonly string[] {
    return [...this.#said];
  }

  #isNew(text: string): boolean {
    if (this.#said.has(text) || this.#said.size >= MAX_NOTICES) return false;
    this.#said.add(text);
    return true;
  }
}
