// server/utils/strapi.ts
import { useStorage } from '#imports';

interface Kept {
  readonly keys: readonly string[];
  readonly data: unknown;
}

export const fromStrapi = async (path: string): Promise<unknown> => {
  const storage = useStorage<Kept>('strapi');
  const known = await storage.getItem(path);
  if (known !== null) return known.data;
  const response = await fetch(`${process.env.STRAPI_URL}${path}`);
  const data: unknown = await response.json();
  const keys = response.headers.get('surrogate-key')?.split(' ') ?? [];
  // What has no keys is not purged.
  if (keys.length > 0) await storage.setItem(path, { keys, data });
  return data;
};

export const forgetFromStrapi = async (purged: ReadonlySet<string>): Promise<void> => {
  const storage = useStorage<Kept>('strapi');
  for (const path of await storage.getKeys()) {
    const kept = await storage.getItem(path);
    if (kept?.keys.some((key) => purged.has(key)) === true) await storage.removeItem(path);
  }
};
