import { expect, it } from 'vitest';
import { OPTIONS_PAGE, optionsPage } from '../../../scripts/options-page';
import { DEFAULT_PROVIDER_NAME } from '../../../server/src/config/schema';
import { DEFAULTS } from './defaults';

/** The defaults in the list under a heading, by option. */
const rowsUnder = (heading: string): Record<string, string | undefined> => {
  const [, section = ''] = optionsPage().split(`## ${heading}\n`);
  const [list = ''] = section.split('\n## ');
  return Object.fromEntries(
    [...list.matchAll(/^- \*\*`(\w+)`\*\*: (?:.*?, default (`[^`]*`))?/gm)].map(([, option, fallback]) => [
      option,
      fallback,
    ]),
  );
};

const written = (value: unknown): string => `\`${typeof value === 'string' ? `'${value}'` : JSON.stringify(value)}\``;

// `vitest -u` and `npm run docs:build` write the page.
it('docs/options.md is what the types and comments of the configuration say', async () => {
  await expect(optionsPage()).toMatchFileSnapshot(OPTIONS_PAGE);
});

it.each<[heading: string, defaults: object, elsewhere: string[]]>([
  ['`strategy`', DEFAULTS.strategy, ['keys', 'stale', 'warm', 'audit', 'cacheControl', 'edge', 'graphql']],
  ['`keys`', DEFAULTS.strategy.keys, []],
  ['`stale`', DEFAULTS.strategy.stale, []],
  ['`warm`', DEFAULTS.strategy.warm ?? {}, []],
  ['`audit`', DEFAULTS.strategy.audit ?? {}, []],
  ['`cacheControl`', { ...DEFAULTS.strategy.cacheControl, enabled: false }, []],
  ['`edge`', DEFAULTS.strategy.edge ?? {}, ['header', 'targets']],
  ['`provider`', { name: DEFAULT_PROVIDER_NAME, ...DEFAULTS.provider }, []],
])('docs/options.md names every option of %s with the default that holds', (heading, defaults, elsewhere) => {
  const rows = { ...rowsUnder(heading), ...(heading === '`strategy`' ? rowsUnder('Settings of every level') : {}) };
  for (const [option, value] of Object.entries(defaults)) {
    expect(rows).toHaveProperty([option]);
    if (!elsewhere.includes(option)) expect(rows[option]).toBe(written(value));
  }
});
