import { expect, it } from 'vitest';
import { OPTIONS_PAGE, optionsPage } from '../../../scripts/options-page';
import {
  DEFAULT_CACHE_CONTROL,
  DEFAULT_EDGE,
  DEFAULT_GET_TIMEOUT,
  DEFAULT_KEYS,
  DEFAULT_STALE,
  DEFAULT_WARM,
  DEFAULT_AUDIT,
  DEFAULT_STRATEGY,
} from '../../../server/src/config/resolved-config';
import { DEFAULT_PROVIDER_NAME } from '../../../server/src/config/schema';

/** The defaults in the table under a heading, by option. */
const rowsUnder = (heading: string): Record<string, string | undefined> => {
  const [, section = ''] = optionsPage().split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return Object.fromEntries(
    [...table.matchAll(/^\| `([\w.]+)` \| (.*?) \| (.*?) \|/gm)].map(([, option, , fallback]) => [option, fallback]),
  );
};

const written = (value: unknown): string => `\`${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}\``;

// `vitest -u` and `npm run docs:build` write the page.
it('docs/options.md is what the types and comments of the configuration say', async () => {
  await expect(optionsPage()).toMatchFileSnapshot(OPTIONS_PAGE);
});

it.each<[heading: string, defaults: object, elsewhere: string[]]>([
  ['`strategy`', DEFAULT_STRATEGY, ['keys', 'stale', 'warm', 'audit', 'cacheControl', 'edge', 'graphql']],
  ['`keys`', DEFAULT_KEYS, []],
  ['`stale`', DEFAULT_STALE, []],
  ['`warm`', DEFAULT_WARM, []],
  ['`audit`', DEFAULT_AUDIT, []],
  ['`cacheControl`', DEFAULT_CACHE_CONTROL, []],
  ['`edge`', DEFAULT_EDGE, ['header']],
  ['`provider`', { name: DEFAULT_PROVIDER_NAME, getTimeout: DEFAULT_GET_TIMEOUT }, []],
])('docs/options.md names every option of %s with the default that holds', (heading, defaults, elsewhere) => {
  const rows = { ...rowsUnder(heading), ...(heading === '`strategy`' ? rowsUnder('Settings of every level') : {}) };
  for (const [option, value] of Object.entries(defaults)) {
    expect(rows).toHaveProperty([option]);
    // The default may be followed by words: `3600000` (one hour).
    if (!elsewhere.includes(option)) expect(rows[option]?.replace(/` .*/, '`')).toBe(written(value));
  }
});
