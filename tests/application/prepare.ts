import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PLAYGROUND, ROOT, SECRETS, TEMPLATE_DATABASE, TEMPLATE_PUBLIC, WORK } from './paths';

/** A digest of all files below these places. */
const digest = (...places: string[]): string => {
  const hash = createHash('sha1');
  const visit = (place: string): void => {
    if (statSync(place).isDirectory()) {
      for (const name of readdirSync(place).sort()) if (name !== 'node_modules') visit(path.join(place, name));
    } else {
      hash.update(place).update(readFileSync(place));
    }
  };
  for (const place of places) visit(path.join(ROOT, place));
  return hash.digest('hex');
};

/** Runs a step unless it ran for exactly these sources before. */
const once = (step: string, sources: string, product: string, run: () => void): void => {
  const note = path.join(WORK, `${step}.digest`);
  if (existsSync(product) && existsSync(note) && readFileSync(note, 'utf8') === sources) return;
  const startedAt = Date.now();
  run();
  writeFileSync(note, sources);
  console.log(`${step}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
};

const execute = (command: string, args: string[], cwd: string, environment: Record<string, string> = {}): void => {
  execFileSync(command, args, { cwd, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });
};

/**
 * Builds the plugin as it is published, compiles the playground, and seeds one database which every application under
 * test gets a copy of.
 */
export default function prepare(): void {
  mkdirSync(WORK, { recursive: true });
  once('build the plugin', digest('server', 'admin', 'package.json'), path.join(ROOT, 'dist/server/index.js'), () =>
    execute('npx', ['strapi-plugin', 'build', '--silent'], ROOT),
  );
  once('compile the playground', digest('playground/src', 'playground/config'), path.join(PLAYGROUND, 'dist/src'), () =>
    execute('npx', ['tsc', '-p', 'tsconfig.json'], PLAYGROUND),
  );
  once('seed the database', digest('playground/src'), TEMPLATE_DATABASE, () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${TEMPLATE_DATABASE}${suffix}`, { force: true });
    rmSync(TEMPLATE_PUBLIC, { recursive: true, force: true });
    cpSync(path.join(PLAYGROUND, 'public'), TEMPLATE_PUBLIC, { recursive: true, filter: (source) => !source.includes('uploads/') });
    mkdirSync(path.join(TEMPLATE_PUBLIC, 'uploads'), { recursive: true });
    execute('npx', ['tsx', path.join(ROOT, 'tests/application/seed.mts')], PLAYGROUND, {
      ...SECRETS,
      REST_CACHE: 'false',
      DATABASE_FILENAME: TEMPLATE_DATABASE,
    });
  });
}
