/** A path pattern of the router, taken apart. */
export interface PathPattern {
  /**
   * Equal for patterns that match the same URLs: without parameter names, in lower case. A trailing slash stays: with it
   * in the pattern, the router wants it in the URL.
   */
  readonly shape: string;
  /** `shape` without what narrows or repeats parameters: `(\\d+)`, `+`, `*`, `?`. */
  readonly looseShape: string;
  /** Names of its parameters, in order; those without a name are numbered among themselves (path-to-regexp). */
  readonly parameters: readonly string[];
}

/** `:name`, `:name(pattern)` or `(pattern)`, then perhaps `+`, `*` or `?`; or an escaped character; or any other. */
const TOKEN =
  /(?:(:\w+)(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\))?|(\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)))([+*?]?)|\\.|[^]/g;

/**
 * Reads a pattern as path-to-regexp 6, which @koa/router uses, does. Anything that is no parameter is static text, so
 * that a mistake in a pattern makes it match nothing rather than fail.
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
