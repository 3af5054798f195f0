import type { Context } from 'koa';
import { cacheKey, type CacheKey } from '../cache/key';
import type { ResolvedKeys } from '../config/resolved-config';
import { canonicalPath } from './canonical-path';
import type { Identity } from './caller-identity';
import { countedParameters } from './counted-parameters';
import { matchedLayer } from './matched-layer';

/** Strapi's core controllers shape their bodies by these, without saying so in `Vary`. */
export const BODY_SHAPING_HEADERS: readonly string[] = ['strapi-response-format', 'strapi-encode-source-maps'];

/** The key of a request on a matched route. */
export const requestKey = (ctx: Context, keys: ResolvedKeys, identity: Identity): CacheKey =>
  cacheKey({
    path: matchedPath(ctx),
    query: countedParameters(ctx, keys.useQueryParams),
    headers: selectHeaders(ctx.request.headers, keys.useHeaders),
    identity: keys.useAuth ? identity.name : '',
  });

const matchedPath = (ctx: Context): string => {
  const layer = matchedLayer(ctx);
  return encodeReserved(layer === undefined ? ctx.path : canonicalPath(ctx.path, layer.regexp));
};

/** `&` may stand in a path as it is; in a key it separates. */
const encodeReserved = (path: string): string => path.replace(/[&?]/g, (character) => encodeURIComponent(character));

const selectHeaders = (
  headers: Context['request']['headers'],
  selection: readonly string[],
): Array<readonly [string, string]> => {
  const selected: Array<readonly [string, string]> = [];
  for (const name of [...selection, ...BODY_SHAPING_HEADERS]) {
    // HTTP/2 has another word for it.
    const value = headers[name] ?? (name === 'host' ? headers[':authority'] : undefined);
    if (value === undefined || selected.some(([known]) => known === name)) continue;
    selected.push([name, Array.isArray(value) ? value.join(', ') : value]);
  }
  return selected;
};
