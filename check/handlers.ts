import type { Core } from '@strapi/strapi';
import { actionOf, type RouteFacts } from '../server/src/config/application-facts';
import type { ResolvedRoute, ResolvedStrategy } from '../server/src/config/resolved-config';
import { TRACING_HEADERS } from '../server/src/http/request-message';
import { describedRead, unkeyedReads } from '../server/src/http/unkeyed-reads';
import { isStrapisOwnAction } from '../server/src/handlers/strapis-handlers';
import type { ConfiguredMiddleware } from '../server/src/stack/middleware-stack';
import { sourcesIn, type Sources } from './sources';

/** What the source text of application code shows. The code runs on a cached route, or in front of all of them. */
export interface HandlerReport extends Sources {
  /** `/api/reports`; `undefined`: all cached routes. */
  readonly path: string | undefined;
  /** `its handler api::report.report.find`, `global::tenant`. */
  readonly who: string;
  readonly unknown?: string;
}

/** A function of the application, and how to look it up. */
interface Code {
  readonly who: string;
  readonly find: () => unknown;
  /** Whether it runs in front of the handler: reads of tracing headers do not count there. */
  readonly isInFront?: boolean;
}

interface Registry {
  get(uid: string): unknown;
}

/** A cached route, or the strategy for the middlewares in front of all of them. */
type Keyed = Pick<ResolvedRoute, 'keys' | 'hitpass'> & Partial<Pick<ResolvedRoute, 'path' | 'isOpen'>>;

/**
 * Reports the application's functions on cached routes and in front of them that read something of the request that is
 * not in the key, that may answer from a source whose changes no write shows, or that could not be looked up.
 */
export const reportHandlers = (
  strapi: Core.Strapi,
  strategy: ResolvedStrategy,
  routes: readonly RouteFacts[],
  middlewares: readonly ConfiguredMiddleware[],
): HandlerReport[] => {
  const cached = strategy.contentTypes.flatMap((contentType) => contentType.routes);
  const onRoutes = cached.flatMap((route) => {
    const facts = routes.find(({ path }) => path === route.path);
    return facts === undefined ? [] : codeOf(strapi, facts).map((code) => report(code, route));
  });
  const inFront = middlewares
    .map(({ name = '' }) => name)
    .filter((name) => name !== '' && !name.startsWith('strapi::'))
    .map((name) => report({ who: name, find: () => strapi.middleware(name), isInFront: true }, strategy))
    // Global middlewares run on hits as well, so it does not matter what they answer from.
    .map((handler) => ({ ...handler, unobserved: [] }));
  return [...onRoutes, ...inFront].filter(
    ({ reads, unobserved, unknown }) => reads.length > 0 || unobserved.length > 0 || unknown !== undefined,
  );
};

const report = ({ who, find, isInFront = false }: Code, keyed: Keyed): HandlerReport => {
  const { path, isOpen = false } = keyed;
  try {
    const found = find();
    const { reads, unobserved } = sourcesIn(typeof found === 'function' ? String(found) : '');
    const counted = reads.filter((name) => !isInFront || !TRACING_HEADERS.has(name));
    const unkeyed = unkeyedReads(new Set(counted), keyed, { isOpen, kind: 'public' });
    return { path, who, reads: unkeyed.map(describedRead), unobserved };
  } catch (error) {
    return { path, who, reads: [], unobserved: [], unknown: error instanceof Error ? error.message : String(error) };
  }
};

/** A route's handler, the services that its source text names, its policies and its middlewares. */
const codeOf = (strapi: Core.Strapi, route: RouteFacts): Code[] => {
  const { policies = [], middlewares = [] } = route.config as Readonly<Record<string, readonly unknown[] | undefined>>;
  const registered = (kind: 'policy' | 'middleware', items: readonly unknown[]): Code[] =>
    items.map((item, index) => {
      const name = typeof item === 'string' ? item : (item as { readonly name?: unknown } | null)?.name;
      if (typeof name !== 'string') return { who: `${kind} #${index + 1}`, find: () => item, isInFront: true };
      const registry = strapi.get<Registry>(kind === 'policy' ? 'policies' : 'middlewares');
      return {
        who: `${kind} ${name}`,
        find: () => [name, `${ownerOf(route)}.${name}`].map((uid) => registry.get(uid)).find((found) => found),
        isInFront: true,
      };
    });
  return [...handlerOf(strapi, route), ...registered('policy', policies), ...registered('middleware', middlewares)];
};

const ownerOf = ({ apiName, pluginName }: RouteFacts): string =>
  apiName === undefined ? `plugin::${pluginName}` : `api::${apiName}`;

/** Handlers of Strapi's plugins, which are known to answer from the database. */
const STRAPIS = /^plugin::(users-permissions|upload|i18n)\./;

const handlerOf = (strapi: Core.Strapi, route: RouteFacts): Code[] => {
  const { handler } = route;
  const action = actionOf(route);
  if (action === undefined) return [{ who: 'its handler', find: () => handler }];
  if (STRAPIS.test(action) || orElse(() => isStrapisOwnAction(strapi, action), false)) return [];
  const end = action.lastIndexOf('.');
  const method = (uid: string, name: string, of: Core.Strapi['controllers'] | Core.Strapi['services']): unknown =>
    (of as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[uid]?.[name];
  const find = (): unknown => method(action.slice(0, end), action.slice(end + 1), strapi.controllers);
  return [
    { who: `its handler ${action}`, find },
    ...servicesNamed(find).map(([uid, name]) => ({
      who: `the service ${uid}.${name}`,
      find: () => method(uid, name, strapi.services),
    })),
  ];
};

const SERVICE = /\bservice\(\s*['"`]([\w:.-]+)['"`]\s*\)\s*\??\.\s*(\w+)/g;

const servicesNamed = (find: () => unknown): Array<readonly [uid: string, method: string]> =>
  orElse(() => [...String(find()).matchAll(SERVICE)], []).map(([, uid = '', method = '']) => [uid, method]);

const orElse = <T>(ask: () => T, otherwise: T): T => {
  try {
    return ask();
  } catch {
    return otherwise;
  }
};
