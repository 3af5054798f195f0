import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';

/** Files that have mounted them. */
const mounters = new WeakMap<Middleware, string>();

/**
 * Notes who is mounting a middleware right now, by the calls that have led here. Many a middleware has no name of its
 * own: `strapi.server.use(async (ctx, next) => …)`.
 */
export const noteMounted = (middleware: Middleware): void => {
  const file = callers().find((each) => !MOUNTS_FOR_OTHERS.test(each));
  if (file !== undefined) mounters.set(middleware, file);
};

/**
 * The package or the file of the application that has mounted a middleware: `strapi-plugin-x`, `src/index.js`;
 * `undefined` for what Strapi has mounted by itself.
 *
 * @param roots of the application, the compiled one first.
 */
export const mounterOf = (middleware: Middleware, roots: readonly string[]): string | undefined => {
  const file = mounters.get(middleware);
  return file === undefined ? undefined : ownerOf(file, roots);
};

/**
 * The same for one that was mounted before anybody noted, by a plugin that Strapi registers earlier: by its code, among the
 * modules that plugins have loaded.
 *
 * @param folders of plugins.
 */
export const noteMountedBefore = (middleware: Middleware, folders: readonly string[]): void => {
  const [folder] = folders;
  if (folder === undefined) return;
  const code = Function.prototype.toString.call(middleware);
  // One for all modules of the process, whoever asks.
  const { cache } = createRequire(path.join(folder, 'package.json'));
  const file = Object.keys(cache)
    .filter((each) => folders.some((plugin) => each.startsWith(plugin + path.sep)))
    .find((each) => textOf(each).includes(code));
  if (file !== undefined) mounters.set(middleware, file);
};

/** A module's file may be gone by now. */
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Koa, its router, and the parts of Strapi that hand on to them (Strapi 5.54). */
const MOUNTS_FOR_OTHERS =
  /[\\/]node_modules[\\/](?:koa|@koa[\\/]router|@strapi[\\/]core[\\/]dist[\\/]services[\\/]server)[\\/]/;

const CALL = /((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()\n]*):\d+:\d+\)?$/gm;

/** Files of the calls, the innermost first, without this plugin's. */
const callers = (): string[] => {
  const { stack = '' } = new Error();
  const files = [...stack.matchAll(CALL)].map(([, file = '']) =>
    file.startsWith('file:') ? fileURLToPath(file) : file,
  );
  const [own] = files;
  return files.filter((file) => file !== own);
};

/** `undefined` for Strapi itself and for what is outside the application. */
const ownerOf = (file: string, roots: readonly string[]): string | undefined => {
  const [, ofPackage] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? [];
  if (ofPackage !== undefined) {
    const name = ofPackage.replace('\\', '/');
    return name === '@strapi/core' ? undefined : name;
  }
  return roots
    .map((root) => path.relative(root, file))
    .find((own) => !own.startsWith('..') && !path.isAbsolute(own))
    ?.replaceAll(path.sep, '/');
};
