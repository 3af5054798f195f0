import type { Application } from '../application/start-application';
import { CachedAnswers } from './compare';
import type { CachedUrl } from './urls';

/** The effect of one write on some URLs. */
export interface Aftermath {
  /** Paths whose entries were invalidated. */
  readonly invalidated: readonly string[];
  /** Paths whose answers changed. */
  readonly changed: readonly string[];
}

/**
 * Stores the answers of these URLs, makes a write, and returns its effect on them.
 *
 * @throws Error if an answer is stale, or if a URL cannot be cached.
 */
export const watching = async (
  application: Application,
  urls: ReadonlyArray<string | CachedUrl>,
  write: () => Promise<unknown>,
): Promise<Aftermath> => {
  const answers = new CachedAnswers(application, 4);
  await answers.warm(urls.map((url) => (typeof url === 'string' ? { path: url, family: '' } : url)));
  const absent = answers.absent.map(({ path }) => path);
  if (absent.length > 0) throw new Error(`not cached: ${absent.join(' ')}`);
  await write();
  const { invalidated, changed, stale } = await answers.compare('');
  if (stale.length > 0) throw new Error(`stale: ${stale.map(({ path }) => path).join(' ')}`);
  return { invalidated: invalidated.map(({ path }) => path), changed: changed.map(({ path }) => path) };
};
