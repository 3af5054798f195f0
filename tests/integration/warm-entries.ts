import { expect } from 'vitest';
import type { Application } from '../application/start-application';

type Headers = Record<string, string>;

/** The body of a path, once every lane has served its entry. */
export const warm = async (application: Application, path: string, headers: Headers = {}): Promise<string> => {
  const first = await application.get(path, headers);
  expect([path, first.status]).toEqual([path, 200]);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const { cache } = await application.get(path, headers);
    expect([path, cache]).toEqual([path, 'HIT']);
  }
  return first.body;
};

/** Expects that a write purges these paths. Resolves to their new bodies. */
export const expectPurged = async (
  application: Application,
  paths: readonly string[],
  write: () => Promise<unknown>,
  headers: Headers = {},
): Promise<string[]> => {
  for (const path of paths) await warm(application, path, headers);
  await write();
  const bodies: string[] = [];
  for (const path of paths) {
    const { cache, body } = await application.get(path, headers);
    expect([path, cache]).toEqual([path, 'MISS']);
    bodies.push(body);
  }
  return bodies;
};

/** Expects that the entries of these paths survive a write. */
export const expectKept = async (
  application: Application,
  paths: readonly string[],
  write: () => Promise<unknown>,
  headers: Headers = {},
): Promise<void> => {
  const before: string[] = [];
  for (const path of paths) before.push(await warm(application, path, headers));
  await write();
  for (const [index, path] of paths.entries()) {
    const { cache, body } = await application.get(path, headers);
    expect([path, cache, body === before[index]]).toEqual([path, 'HIT', true]);
  }
};
