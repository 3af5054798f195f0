import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';

/** By middleware, the file that has mounted it. */
const mounters = new WeakMap<Middleware, string>();

/**
 * Notes which file is mounting a middleware right now, from the call stack. Many middlewares have no name of their own:
 * `strapi.server.use(async (ctx, next) => …)`.
 */
export const noteMounted = (middleware: Middleware): void => {
  const file = callers().find((each) => !MOUNTS_FOR_OTHERS.test(each));
  if (file !== undefined) mounters.set(middleware, file);
};

/**
 * The package or the application's file that has mounted a middleware: `strapi-plugin-x`, `src/index.js`; `undefined`
 * if Strapi has mounted it by itself, or if that is not known.
 *
 * @param roots the application's folders, the compiled one first.
 */
export const mounterOf = (middleware: Middleware, roots: readonly string[]): string | undefined => {
  const file = mounters.get(middleware);
  return file === undefined ? undefined : ownerOf(file, roots);
};

/** Files of Koa, its router, and the parts of Strapi that call these on behalf of other code (Strapi 5.54). */
const MOUNTS_FOR_OTHERS =
  /[\\/]node_modules[\\/](?:koa|@koa[\\/]router|@strapi[\\/]core[\\/]dist[\\/]services[\\/]server)[\\/]/;

const CALL = /((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()\n]*):\d+:\d+\)?$/gm;

/** The files on the call stack, the innermost first, without the plugin's own, which is a single file once built. */
const callers = (): string[] => {
  const { stack = '' } = new Error();
  const files = [...stack.matchAll(CALL)].map(([, file = '']) =>
    file.startsWith('file:') ? fileURLToPath(file) : file,
  );
  const [own] = files;
  return files.filter((file) => file !== own);
};

/** The package or file that a path belongs to; `undefined` for Strapi itself, and outside of the application. */
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
