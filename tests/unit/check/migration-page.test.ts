import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Origin } from '../../../server/src/check/moves';
import { ORIGINS } from '../../../server/src/check/report';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/migrating.md');

const tableOf = ({ package: name, moves }: Pick<Origin, 'package' | 'moves'>): string =>
  [
    `| \`${name}\` | here |`,
    '|---|---|',
    ...moves.map(({ there, here }) => `| ${[there, here].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
  ].join('\n');

/** The page with the tables as `check` has them: `vitest -u` writes them. */
const withTables = (page: string): string =>
  ORIGINS.reduce((written, origin) => {
    const start = `<!-- moves from ${origin.name} -->\n`;
    const [before = '', after = ''] = written.split(start, 2);
    return `${before}${start}\n${tableOf(origin)}\n\n${after.slice(after.indexOf('<!-- end -->'))}`;
  }, page);

it('the migration page shows what check says', async () => {
  const page = readFileSync(PAGE, 'utf8');
  for (const { name } of ORIGINS) expect(page).toContain(`<!-- moves from ${name} -->`);
  await expect(withTables(page)).toMatchFileSnapshot(PAGE);
});
