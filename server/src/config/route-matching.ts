import type { ApplicationFacts, RouteFacts } from './application-facts';
import { isNear, nearestName } from './nearest-name';

/** A parsed path pattern of the router. */
export interface PathPattern {
  /**
   * The pattern without parameter names, in lower case: equal for patterns that match the same URLs. A trailing slash
   * stays, because the router then requires it in the URL.
   */
  readonly shape: string;
  /** `shape` without the patterns and modifiers of parameters: `(\\d+)`, `+`, `*`, `?`. */
  readonly looseShape: string;
  /** Names of its parameters, in order. Unnamed parameters are numbered from 0, as in path-to-regexp. */
  readonly parameters: readonly string[];
}

/**
 * `:name`, `:name(pattern)` or `(pattern)`, each with an optional `+`, `*` or `?`; an escaped character; or any other.
 */
const TOKEN =
  /(?:(:\w+)(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\))?|(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)))([+*?]?)|\\.|[^]/g;

/**
 * Parses a pattern like path-to-regexp 6, which @koa/router uses. Anything that is not a parameter counts as static
 * text, so a pattern with a mistake matches nothing instead of failing.
 */
export const parsePathPattern = (path: string): PathPattern => {
  const parameters: string[] = [];
  let numbered = 0;
  let shape = '/';
  let looseShape = '/';
  for (const [token, name, pattern, nameless, modifier = ''] of path.trim().replace(/^\/+/, '').matchAll(TOKEN)) {
    if (name === undefined && nameless === undefined) {
      shape += token.toLowerCase();
      looseShape += token.toLowerCase();
      continue;
    }
    parameters.push(name?.slice(1) ?? String(numbered++));
    shape += `:${nameless ?? pattern ?? ''}${modifier}`;
    looseShape += ':';
  }
  return { shape, looseShape, parameters };
};

/** The mounted route that answers at a path: the first one there. */
export const routeAt = (application: ApplicationFacts, path: string): RouteFacts | undefined => {
  const { shape } = parsePathPattern(path);
  return application.routes.find((route) => parsePathPattern(route.path).shape === shape);
};

const withPrefix = (written: string, restPrefix: string): string =>
  `${restPrefix}/${written.trim().replace(/^\/+/, '')}`;

const withOtherEnd = (path: string): string => (path.endsWith('/') ? path.replace(/\/+$/, '') : `${path}/`);

/** The paths a user may have meant: with the REST prefix or without it, and with a trailing slash or without one. */
const readings = (written: string, restPrefix: string): readonly string[] => {
  const asWritten = written.trim();
  const prefixed = withPrefix(asWritten, restPrefix);
  return [asWritten, prefixed, withOtherEnd(asWritten), withOtherEnd(prefixed)];
};

/** A route that differs from the path only in what its parameters accept; best one with the same parameter names. */
const routeLooselyAt = (application: ApplicationFacts, path: string): RouteFacts | undefined => {
  const { looseShape, parameters } = parsePathPattern(path);
  const candidates = application.routes.filter((route) => parsePathPattern(route.path).looseShape === looseShape);
  const hasSameNames = (route: RouteFacts): boolean =>
    parsePathPattern(route.path).parameters.join() === parameters.join();
  return candidates.find(hasSameNames) ?? candidates[0];
};

/**
 * The mounted route a user means by a path. Parameter names, the case of static segments, a trailing slash and the REST
 * prefix do not matter; what parameters accept matters only where it tells two routes apart.
 */
export const findRoute = (application: ApplicationFacts, written: string): RouteFacts | undefined => {
  const paths = readings(written, application.restPrefix);
  const first = (find: typeof routeAt): RouteFacts | undefined =>
    paths.map((path) => find(application, path)).find((route) => route !== undefined);
  return first(routeAt) ?? first(routeLooselyAt);
};

/** The path of the mounted route that looks most like what a user wrote. */
export const nearestPath = (application: ApplicationFacts, written: string): string | undefined => {
  const hasPrefix = written.trim().toLowerCase().startsWith(application.restPrefix.toLowerCase());
  return nearestName(
    hasPrefix ? written.trim() : withPrefix(written, application.restPrefix),
    application.routes.map((route) => route.path),
  );
};

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const isParameter = (segment: string): boolean => /[:(*]/.test(segment);

/** The route pattern that was probably meant, if any. Segments may be misspelt, and the API prefix may be missing. */
export const nearRoute = (asked: string, patterns: readonly string[]): string | undefined => {
  const path = segmentsOf(asked);
  const isLike = (pattern: string): boolean => {
    const parts = segmentsOf(pattern);
    const isLikeAll = (written: readonly string[]): boolean =>
      written.length === parts.length &&
      parts.every((part, index) => isParameter(part) || isNear(written[index] ?? '', part));
    return isLikeAll(path) || isLikeAll([parts[0] ?? '', ...path]);
  };
  return nearestName(asked, patterns.filter(isLike));
};
