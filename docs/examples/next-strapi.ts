// lib/strapi.ts
import { cacheLife, cacheTag } from 'next/cache';

export const fromStrapi = async (path: string): Promise<unknown> => {
  'use cache';
  const response = await fetch(`${process.env.STRAPI_URL}${path}`);
  const keys = response.headers.get('surrogate-key')?.split(' ') ?? [];
  // What has no keys is not purged.
  if (keys.length === 0) cacheLife({ stale: 0, revalidate: 0, expire: 0 });
  else cacheLife('max');
  // One at a time: Next.js drops what is more than 128 in one call.
  for (const key of keys) cacheTag(key);
  return response.json();
};
