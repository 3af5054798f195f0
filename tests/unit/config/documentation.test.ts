import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import {
  DEFAULT_CACHE_CONTROL,
  DEFAULT_EDGE,
  DEFAULT_GET_TIMEOUT,
  DEFAULT_KEYS,
  DEFAULT_STRATEGY,
} from '../../../server/src/config/resolved-config';

const documentation = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

/** The rows of the reference table under a heading: the option and its default. */
const rowsUnder = (heading: string): Record<string, string | undefined> => {
  const [, section = ''] = documentation.split(`### ${heading}\n`);
  const [table = ''] = section.split('\n## ')[0]?.split('\n### ') ?? [];
  return Object.fromEntries(
    [...table.matchAll(/^\| `([\w.]+)` \| (.*?) \| (.*?) \|/gm)].map(([, option, , fallback]) => [option, fallback]),
  );
};

const written = (value: unknown): string => `\`${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}\``;

describe('docs/configuration.md names every option with its default', () => {
  it.each<[heading: string, defaults: object, elsewhere: string[]]>([
    ['`strategy`', DEFAULT_STRATEGY, ['keys', 'cacheControl', 'edge']],
    ['`keys`', DEFAULT_KEYS, []],
    ['`cacheControl`', DEFAULT_CACHE_CONTROL, []],
    ['`edge`', DEFAULT_EDGE, []],
    ['`provider`', { name: 'memory', getTimeout: DEFAULT_GET_TIMEOUT }, []],
  ])('of %s', (heading, defaults, elsewhere) => {
    const rows = rowsUnder(heading);
    for (const [option, value] of Object.entries(defaults)) {
      expect(rows).toHaveProperty([option]);
      if (!elsewhere.includes(option)) expect(rows[option]).toBe(written(value));
    }
  });

  it.each([
    [
      'Content type',
      ['contentType', 'maxAge', 'hitpass', 'keys', 'statuses', 'repeatable', 'injectDefaultRoutes', 'routes'],
    ],
    ['Route', ['path', 'method', 'maxAge', 'hitpass', 'keys', 'statuses', 'repeatable', 'paramNames']],
    ['`metrics`', ['prometheusSecret']],
    ['`provider`', ['name', 'instance', 'getTimeout', 'options', 'options.maxSize', 'options.max', 'options.maxBytes']],
  ])('of %s', (heading, options) => {
    expect(Object.keys(rowsUnder(heading))).toEqual(options);
  });
});
