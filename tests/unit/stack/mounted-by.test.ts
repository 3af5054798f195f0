import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Middleware } from 'koa';
import { afterAll, describe, expect, it } from 'vitest';
import { mounterOf, noteMounted } from '../../../server/src/stack/mounted-by';

const app = realpathSync(mkdtempSync(path.join(tmpdir(), 'mounted-by-')));
const load = createRequire(path.join(app, 'package.json'));
afterAll(() => rmSync(app, { recursive: true }));

type Call = (next: Call, ...rest: readonly unknown[]) => void;

/** Writes and loads a module that calls the next one. */
const caller = (file: string): Call => {
  const at = path.join(app, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, 'module.exports = (next, ...rest) => next(...rest);');
  return load(at) as Call;
};

/** The name of what mounted a middleware, if calls lead through these files, the outermost first. */
const mountedThrough = (...files: readonly string[]): string | undefined => {
  const middleware: Middleware = (_ctx, next) => next();
  const [first, ...others] = [...files.map(caller), noteMounted as never];
  first?.(...(others as [Call]), middleware);
  return mounterOf(middleware, [path.join(app, 'dist'), app]);
};

const STRAPI = 'node_modules/@strapi/core/dist/Strapi.js';
const SERVER = 'node_modules/@strapi/core/dist/services/server/index.js';
const KOA = 'node_modules/koa/lib/application.js';

describe('who mounts a middleware', () => {
  it.each([
    [[STRAPI, 'src/index.js', SERVER, KOA], 'src/index.js'],
    [[STRAPI, 'dist/src/index.js', SERVER], 'src/index.js'],
    [[STRAPI, 'src/plugins/shop/server/register.js', SERVER], 'src/plugins/shop/server/register.js'],
    [[STRAPI, 'node_modules/strapi-plugin-navigation/dist/server/index.js', SERVER], 'strapi-plugin-navigation'],
    [[STRAPI, 'node_modules/@acme/tenants/index.js', 'node_modules/@koa/router/lib/router.js'], '@acme/tenants'],
    [[STRAPI, 'node_modules/.pnpm/shop@1.0.0/node_modules/shop/index.js', SERVER, KOA], 'shop'],
    [[STRAPI, 'node_modules/@strapi/plugin-graphql/dist/server/bootstrap.js', SERVER], '@strapi/plugin-graphql'],
  ])('%j: %s', (files, mounter) => {
    expect(mountedThrough(...files)).toBe(mounter);
  });

  it('nobody, where Strapi does by itself', () => {
    expect(mountedThrough('server.js', STRAPI, SERVER, KOA)).toBeUndefined();
  });
});
