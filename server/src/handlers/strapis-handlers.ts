import type { Core, UID } from '@strapi/strapi';
import type { Context } from 'koa';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { routeOf } from './chosen-route';

export type Methods = Readonly<Record<string, unknown>>;

/** Methods that what Strapi's factories make inherits. */
const INHERITED = { controller: 'sanitizeOutput', service: 'getFetchParams' } as const;

/** The methods that Strapi's factory gave a controller or service; `undefined` if none has made it. */
export const factoryMethods = (made: object, kind: keyof typeof INHERITED): Methods | undefined => {
  const base = Object.getPrototypeOf(made) as Methods | null;
  const known = INHERITED[kind];
  return base !== null && typeof base[known] === 'function' && !Object.hasOwn(base, known) ? base : undefined;
};

/** The methods of a factory's that the application has replaced. It may have added others. */
export const replacedMethods = (made: Methods, base: Methods): string[] =>
  Object.keys(made).filter((name) => name in base && made[name] !== base[name]);

/**
 * Whether a handler is Strapi's own code for a content type's routes: its controller and service were made by Strapi's
 * factories, and the application has replaced none of their methods.
 */
export const isStrapisOwnAction = (strapi: Core.Strapi, handler: unknown): boolean => {
  if (typeof handler !== 'string' || !handler.startsWith('api::')) return false;
  const [uid, action] = partsOf(handler);
  return (
    isAsMade(strapi.controller(uid as UID.Controller), action, 'controller') &&
    isAsMade(strapi.service(uid as UID.Service), action, 'service')
  );
};

/** `api::article.article.find`: a controller's uid and the name of its method. */
export const partsOf = (action: string): readonly [uid: string, method: string] => {
  const end = action.lastIndexOf('.');
  return [action.slice(0, end), action.slice(end + 1)];
};

const isAsMade = (made: unknown, action: string, kind: keyof typeof INHERITED): boolean => {
  if (typeof made !== 'object' || made === null) return false;
  const base = factoryMethods(made, kind);
  return base !== undefined && action in base && replacedMethods(made as Methods, base).length === 0;
};

interface QueryValidation {
  validateQuery?(ctx: Context): Promise<void>;
}

/**
 * Validates the query as Strapi's own code for a content type's routes does first. Does nothing if other code answers.
 *
 * @throws what Strapi's validation throws if the query is not valid.
 */
export const validateOwnQuery = async (strapi: Core.Strapi, ctx: Context): Promise<void> => {
  const handler = routeOf(ctx)?.handler;
  if (typeof handler !== 'string' || !isStrapisOwnAction(strapi, handler)) return;
  const [uid] = partsOf(handler);
  const controller = strapi.controller(uid as UID.Controller) as QueryValidation | undefined;
  await controller?.validateQuery?.(ctx);
};

/** Strapi's plugins with routes of the content API. */
const PLUGINS: Readonly<Record<string, string>> = {
  upload: '@strapi/upload',
  i18n: '@strapi/i18n',
  'users-permissions': '@strapi/plugin-users-permissions',
};

interface EnabledPlugin {
  readonly pathToPlugin: string;
  readonly packageInfo?: { readonly name?: unknown };
}

const asShipped = new WeakMap<object, boolean>();

/**
 * Whether an action is that of one of Strapi's plugins as it was published: the application does not extend the plugin,
 * and the text of the action's code is found in the plugin's package.
 */
export const isOfStrapisPlugin = (strapi: Core.Strapi, action: string): boolean => {
  const [, plugin = ''] = /^plugin::([^.]+)\./.exec(action) ?? [];
  const name = PLUGINS[plugin];
  if (name === undefined) return false;
  const [uid, method] = partsOf(action);
  const code = (strapi.controller(uid as UID.Controller) as Methods | undefined)?.[method];
  if (typeof code !== 'function') return false;
  const known = asShipped.get(code) ?? isShipped(strapi, plugin, name, String(code));
  asShipped.set(code, known);
  return known;
};

const isShipped = ({ dirs, config }: Core.Strapi, plugin: string, name: string, text: string): boolean => {
  if (existsSync(path.join(dirs.dist.extensions, plugin, 'strapi-server.js'))) return false;
  const enabled = config.get<Readonly<Record<string, EnabledPlugin>>>('enabledPlugins', {})[plugin];
  if (enabled?.packageInfo?.name !== name) return false;
  return readdirSync(enabled.pathToPlugin, { recursive: true, encoding: 'utf8' })
    .filter((file) => /server[\\/].*\.js$/.test(file) && !file.includes('node_modules'))
    .some((file) => readFileSync(path.join(enabled.pathToPlugin, file), 'utf8').includes(text));
};
