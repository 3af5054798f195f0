/**
 * Measures the lanes side by side with the uncached application and with bare servers; see docs/internals/benchmarks.md. Run
 * `npm run bench`, with `-- --quick` for the ratios alone, `--misses` for those of misses, `--graphql` for those of
 * GraphQL, `--editing-day` for a day of visitors and editors, `--json` for machine-readable output, or `--peers` to
 * include other cache plugins.
 */

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const { status } = spawnSync(
  process.execPath,
  ['--import', tsx, path.join(root, 'tests/bench/main.ts'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
