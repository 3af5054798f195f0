import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Core } from '@strapi/strapi';
import { afterAll, expect, it } from 'vitest';
import { resolveConfig } from '../../../server/src/config/resolve';
import { createProvider } from '../../../server/src/plugin/create-provider';
import { Obstacles } from '../../../server/src/plugin/obstacles';
import { application } from '../config/application';

const root = mkdtempSync(path.join(os.tmpdir(), 'rest-cache-provider-'));
afterAll(() => rmSync(root, { recursive: true }));

const METHODS = 'lookup knownSequence store announce invalidate delete entries usage clear health close'.split(' ');

/** Writes a module whose provider is called `title`. */
const write = (file: string, title: string): void => {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  const methods = METHODS.map((name) => `${name}() {}`).join(', ');
  writeFileSync(target, `exports.createProvider = () => ({ name: '${title}', ${methods} });`);
};

const load = async (name: string, dist: string): Promise<string> => {
  const strapi = { dirs: { app: { root }, dist: { root: path.join(root, dist) } } } as unknown as Core.Strapi;
  const config = resolveConfig({ provider: { name } }, application());
  return (await createProvider(strapi, config, new Obstacles(), {}, () => undefined)).name;
};

write('dist/src/cache/typed.js', 'compiled from src');
write('dist/src/both.js', 'compiled');
write('src/both.js', 'left over');
write('src/plain.js', 'plain');
mkdirSync(path.join(root, 'src/cache'), { recursive: true });
writeFileSync(path.join(root, 'src/cache/typed.ts'), 'export const createProvider: never;');
mkdirSync(path.join(root, 'dist/src/broken'));
writeFileSync(path.join(root, 'dist/src/broken/index.js'), "require('./nothing')");

it.each([
  ['by its place in src', './src/cache/typed'],
  ['by the name of its file', './src/cache/typed.ts'],
  ['by its place in dist', './dist/src/cache/typed'],
])('a provider in TypeScript is found %s', async (_, name) => {
  expect(await load(name, 'dist')).toBe('compiled from src');
});

it('what is compiled is taken before what lies in src', async () => {
  expect(await load('./src/both', 'dist')).toBe('compiled');
});

it('a provider in JavaScript is found in src, in an application with dist and in one without', async () => {
  expect(await load('./src/plain', 'dist')).toBe('plain');
  expect(await load('./src/plain.js', '.')).toBe('plain');
});

it('says where it has looked, and what is wrong in a module that is there', async () => {
  await expect(load('./src/missing', 'dist')).rejects.toThrow(
    `there is no ${path.join(root, 'dist/src/missing')} and no ${path.join(root, 'src/missing')}`,
  );
  await expect(load('./src/broken', 'dist')).rejects.toThrow("Cannot find module './nothing'");
});

it('is a misspelling of a built-in one only where it is near', async () => {
  await expect(load('rediss', '.')).rejects.toThrow('(did you mean "redis"?): Error: Cannot find module');
  await expect(load('memroy', '.')).rejects.toThrow('(did you mean "memory"?)');
  await expect(load('./src/redis-of-ours', '.')).rejects.not.toThrow('did you mean');
});
