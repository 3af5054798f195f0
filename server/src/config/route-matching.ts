import type { ApplicationFacts, RouteFacts } from './application-facts';
import { isNear, nearestName } from './nearest-name';

/** A parsed path pattern of the router. */
export interface PathPattern {
  /**
   * The pattern without parameter names, in lower case: equal for patterns that match the same URLs. A trailing slash
   * stays, because the router then requires it in the URL.
   */
  readonly shape: string;
  /** Names of its parameters, in order. Unnamed parameters are numbered from 0, as in path-to-regexp. */
  readonly parameters: readonly string[];
}

/**
 * `:name`, `:name(pattern)` or `(pattern)`, each with an optional `+`, `*` or `?`; an escaped character; or any other.
 */
const TOKEN =
  /(?:(:\w+)(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\))?|(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)))([+*?]?)|\\.|[^]/g;

/** A parameter of a path pattern: its name (`undefined` if it has none), its own pattern in parentheses, and `+`, `*` or `?`. */
export interface PathParameter {
  readonly name: string | undefined;
  readonly pattern: string;
  readonly modifier: string;
}

/**
 * The parts of a pattern, read like path-to-regexp 6, which @koa/router uses: its parameters, and single characters as
 * they are written. Anything that is not a parameter counts as static text, so a pattern with a mistake matches nothing
 * instead of failing.
 */
export const partsOf = (path: string): ReadonlyArray<string | PathParameter> =>
  [...path.trim().replace(/^\/*/, '/').matchAll(TOKEN)].map(([token, name, pattern, nameless, modifier = '']) =>
    name === undefined && nameless === undefined
      ? token
      : { name: name?.slice(1), pattern: nameless ?? pattern ?? '', modifier },
  );

export const parsePathPattern = (path: string): PathPattern => {
  const parameters: string[] = [];
  let numbered = 0;
  let shape = '';
  for (const part of partsOf(path)) {
    if (typeof part === 'string') {
      shape += part.toLowerCase();
      continue;
    }
    parameters.push(part.name ?? String(numbered++));
    shape += `:${part.pattern}${part.modifier}`;
  }
  return { shape, parameters };
};

/** Whether some path may match both patterns. Whatever follows a parameter with a pattern or a modifier is not compared. */
export const mayMeet = (one: string, other: string): boolean => {
  const [own, its] = [withoutEnd(one), withoutEnd(other)];
  for (let at = 0, there = 0; ; at += 1, there += 1) {
    const [part, beside] = [own[at], its[there]];
    if (isOpen(part) || isOpen(beside)) return true;
    if (part === undefined || beside === undefined)
      return part === beside || mayBeMissing(own, at) || mayBeMissing(its, there);
    if (typeof part === 'string' && typeof beside === 'string') {
      if (part.toLowerCase() !== beside.toLowerCase()) return false;
      continue;
    }
    const [segment, opposite] = [segmentFrom(own, at), segmentFrom(its, there)];
    if ([...segment, ...opposite].some(isOpen)) return true;
    at += segment.length - 1;
    there += opposite.length - 1;
  }
};

type Parts = ReturnType<typeof partsOf>;

/** The router takes a path with a slash at its end for the same. */
const withoutEnd = (path: string): Parts => partsOf(path.replace(/\/+$/, ''));

const isOpen = (part: Parts[number] | undefined): boolean =>
  typeof part === 'object' && part.pattern + part.modifier !== '';

/** Whether a slash may be missing together with the parameter behind it. */
const mayBeMissing = (parts: Parts, at: number): boolean => parts[at] === '/' && isOpen(parts[at + 1]);

/** The rest of a segment. */
const segmentFrom = (parts: Parts, at: number): Parts => {
  const end = parts.indexOf('/', at);
  return parts.slice(at, end < 0 ? undefined : end);
};

/** The mounted route that answers at a path: the first one there. */
export const routeAt = (application: ApplicationFacts, path: string): RouteFacts | undefined => {
  const { shape } = parsePathPattern(path);
  return application.routes.find((route) => parsePathPattern(route.path).shape === shape);
};

const withOtherEnd = (path: string): string => (path.endsWith('/') ? path.replace(/\/+$/, '') : `${path}/`);

/**
 * The mounted route a user means by a path, which may be written with the REST prefix or without it, and with a trailing
 * slash or without one. Parameter names and the case of static segments do not matter.
 */
export const findRoute = (application: ApplicationFacts, written: string): RouteFacts | undefined => {
  const asWritten = written.trim();
  const prefixed = `${application.restPrefix}/${asWritten.replace(/^\/+/, '')}`;
  return [asWritten, prefixed, withOtherEnd(asWritten), withOtherEnd(prefixed)]
    .map((path) => routeAt(application, path))
    .find((route) => route !== undefined);
};

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const isParameter = (segment: string): boolean => /[:(*]/.test(segment);

/** The path of the route that was probably meant. Segments may be misspelt, and the API prefix may be missing. */
export const nearRoute = (asked: string, routes: ReadonlyArray<{ readonly path: string }>): string | undefined => {
  const path = segmentsOf(asked);
  const isLike = (pattern: string): boolean => {
    const parts = segmentsOf(pattern);
    const isLikeAll = (written: readonly string[]): boolean =>
      written.length === parts.length &&
      parts.every((part, index) => isParameter(part) || isNear(written[index] ?? '', part));
    return isLikeAll(path) || isLikeAll([parts[0] ?? '', ...path]);
  };
  return nearestName(asked, routes.map((route) => route.path).filter(isLike));
};
