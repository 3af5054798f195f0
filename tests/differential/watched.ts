import type { Application } from '../application/start-application';
import { Client } from './client';
import { CachedAnswers } from './compare';
import type { CachedUrl } from './urls';

/** What one write did to some URLs. */
export interface Aftermath {
  /** Paths whose entries went. */
  readonly invalidated: readonly string[];
  /** Paths whose answers changed. */
  readonly changed: readonly string[];
}

/**
 * Keeps these URLs in the cache while something is written, and looks what became of them.
 *
 * @throws Error when anything stale is served, or something cannot be cached.
 */
export const watching = async (
  application: Application,
  urls: ReadonlyArray<string | CachedUrl>,
  write: () => Promise<unknown>,
): Promise<Aftermath> => {
  const client = new Client(application.origin);
  try {
    const answers = new CachedAnswers(client, 4);
    await answers.warm(urls.map((url) => (typeof url === 'string' ? { path: url, family: '' } : url)));
    const absent = answers.absent.map(({ path }) => path);
    if (absent.length > 0) throw new Error(`not cached: ${absent.join(' ')}`);
    await write();
    const { invalidated, changed, stale } = await answers.compare('');
    if (stale.length > 0) throw new Error(`stale: ${stale.map(({ path }) => path).join(' ')}`);
    return { invalidated: invalidated.map(({ path }) => path), changed: changed.map(({ path }) => path) };
  } finally {
    client.close();
  }
};
