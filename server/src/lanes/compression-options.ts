import { constants } from 'node:zlib';
import type { CodingOptions } from './encoded-bodies';

/** koa-compress compresses with these where nothing else is configured (version 5.1, lib/encodings.js). */
const DEFAULTS: Readonly<Record<string, object>> = {
  gzip: {},
  deflate: {},
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

/** Options of zlib by content coding, as `strapi::compression` derives them from its configuration. */
export const compressionOptions = (config: Readonly<Record<string, unknown>>): CodingOptions =>
  Object.fromEntries(
    Object.entries(DEFAULTS).map(([coding, defaults]) => {
      const own = config[coding];
      return [coding, { ...defaults, ...(typeof own === 'object' ? own : {}) }];
    }),
  );
