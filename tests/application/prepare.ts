import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { digest, once } from './build-step';
import { COMPILED, PLAYGROUND, ROOT, SECRETS, TEMPLATE_DATABASE, TEMPLATE_PUBLIC, WORK } from './paths';

const execute = (command: string, args: string[], cwd: string, environment: Record<string, string> = {}): void => {
  execFileSync(command, args, { cwd, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });
};

/** The declarations of the package's entries. A bundle's build removes them. */
const DECLARATIONS = ['config', 'provider-suite'].flatMap((entry) =>
  ['index.d.ts', 'index.d.mts'].map((name) => path.join(ROOT, 'dist', entry, name)),
);

/** Bundles the plugin. Declarations stay: to put them together takes three times as long as all bundles. */
const bundle = (): void => {
  const kept = DECLARATIONS.filter(existsSync).map((file) => ({ file, text: readFileSync(file) }));
  execute('npx', ['strapi-plugin', 'build', '--silent'], ROOT);
  rmSync(path.join(ROOT, 'dist/server/index.mjs'), { force: true });
  for (const { file, text } of kept) writeFileSync(file, text);
};

/**
 * Builds the plugin as it is published, compiles the playground, and seeds one database. Each application under test
 * gets a copy of that database.
 */
export default function prepare(): void {
  mkdirSync(WORK, { recursive: true });
  once(
    'bundle the plugin',
    digest('server', 'admin', 'provider-suite', 'check', 'package.json'),
    path.join(ROOT, 'dist/server/index.js'),
    bundle,
  );
  // `strapi build` looks at its types, for which the plugin's declarations have to be written first.
  once('compile the playground', digest('playground/src', 'playground/config'), path.join(COMPILED, 'src'), () =>
    execute('npx', ['tsc', '-p', 'tsconfig.json', '--noCheck', '--outDir', COMPILED], PLAYGROUND),
  );
  once('seed the database', digest('playground/src'), TEMPLATE_DATABASE, () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${TEMPLATE_DATABASE}${suffix}`, { force: true });
    rmSync(TEMPLATE_PUBLIC, { recursive: true, force: true });
    cpSync(path.join(PLAYGROUND, 'public'), TEMPLATE_PUBLIC, {
      recursive: true,
      filter: (source) => !source.includes('uploads/'),
    });
    mkdirSync(path.join(TEMPLATE_PUBLIC, 'uploads'), { recursive: true });
    execute('npx', ['tsx', path.join(ROOT, 'tests/application/seed.mts')], PLAYGROUND, {
      ...SECRETS,
      REST_CACHE: 'false',
      DATABASE_FILENAME: TEMPLATE_DATABASE,
    });
  });
}
