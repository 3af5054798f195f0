import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Report } from '../../check/report';
import { ROOT, WORK } from '../application/paths';
import packageJson from '../../package.json' with { type: 'json' };

const BIN = path.join(ROOT, packageJson.bin['strapi-plugin-response-cache']);

export interface Written {
  /** The name of one of the files in `configurations/`. */
  readonly configuration?: string;
  /** Files to add or replace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Packages to add to the application's dependencies. */
  readonly dependencies?: readonly string[];
  /**
   * Whether every file except JSON gets the extension `.ts`. `'built'`: only `dist` is there, as in a production image.
   */
  readonly typescript?: boolean | 'built';
  /** Whether it is an application of ES modules. */
  readonly isModules?: boolean;
}

/** The same code as an ES module. Strapi's own ES modules cannot be imported, so they are required. */
const asModule = (code: string): string =>
  code
    .replace(
      /const (.+) = require\(/,
      "import { createRequire } from 'node:module';\nconst $1 = createRequire(import.meta.url)(",
    )
    .replace('module.exports =', 'export default')
    .replaceAll('__dirname', 'import.meta.dirname');

const TSCONFIG = {
  extends: '@strapi/typescript-utils/tsconfigs/server',
  compilerOptions: { outDir: 'dist', rootDir: '.' },
  include: ['./', './**/*.ts', 'src/**/*.json'],
  exclude: ['node_modules/', 'dist/'],
};

const written: string[] = [];

export const removeApplications = (): void => {
  for (const directory of written) rmSync(directory, { recursive: true, force: true });
};

/** Copies the ferries application into a folder of its own. */
export const writeApplication = (application: Written): string => {
  const { configuration, files = {}, dependencies = [], typescript, isModules = false } = application;
  const directory = path.join(WORK, `check-${randomUUID()}`);
  written.push(directory);
  cpSync(path.join(ROOT, 'tests/applications/ferries'), directory, { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  if (configuration !== undefined)
    cpSync(
      path.join(ROOT, 'tests/check/configurations', `${configuration}.js`),
      path.join(directory, 'config/plugins.js'),
    );
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
  const manifest = path.join(directory, 'package.json');
  const own = JSON.parse(readFileSync(manifest, 'utf8')) as {
    dependencies: Record<string, string>;
    type?: string;
  };
  for (const name of dependencies) own.dependencies[name] = '*';
  if (isModules) {
    own.type = 'module';
    for (const file of filesIn(directory).filter((name) => name.endsWith('.js')))
      writeFileSync(path.join(directory, file), asModule(readFileSync(path.join(directory, file), 'utf8')));
  }
  writeFileSync(manifest, JSON.stringify(own));
  if (typescript === true) {
    for (const file of filesIn(directory).filter((name) => name.endsWith('.js')))
      renameSync(path.join(directory, file), path.join(directory, file.replace(/\.js$/, '.ts')));
  }
  if (typescript === 'built')
    for (const part of ['config', 'src']) {
      mkdirSync(path.join(directory, 'dist'), { recursive: true });
      renameSync(path.join(directory, part), path.join(directory, 'dist', part));
    }
  if (typescript !== undefined) writeFileSync(path.join(directory, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  return directory;
};

const filesIn = (directory: string, below = ''): string[] =>
  readdirSync(path.join(directory, below), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(below, entry.name);
    return entry.isDirectory() ? filesIn(directory, name) : entry.isFile() ? [name] : [];
  });

/** Every file in a folder, with its modification time and its bytes. */
const contentsOf = (directory: string): ReadonlyArray<readonly [name: string, time: number, bytes: string]> =>
  filesIn(directory)
    .sort()
    .map((name) => {
      const file = path.join(directory, name);
      return [name, statSync(file).mtimeMs, readFileSync(file, 'base64')];
    });

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  /** Whether every file of the application is unchanged, and no file was added to it or to the temporary files. */
  readonly isUntouched: boolean;
}

/** Runs the check as a user does, in the application's folder. */
export const runCheck = (
  directory: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => runCommand(directory, ['check', ...args], environment);

/** Runs the command with all arguments given. */
export const runCommand = async (
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => {
  const before = contentsOf(directory);
  const temporary = path.join(WORK, `check-${randomUUID()}`);
  mkdirSync(temporary);
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: directory,
    env: { ...process.env, NODE_ENV: 'development', TMPDIR: temporary, ...environment },
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const isUntouched = JSON.stringify(contentsOf(directory)) === JSON.stringify(before);
  const isLeft = readdirSync(temporary).length > 0;
  rmSync(temporary, { recursive: true });
  return { code, output, errors, isUntouched: isUntouched && !isLeft };
};

/** Runs the check with `--json`, and returns its report. */
export const reportOf = async (
  directory: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome & { readonly report: Report }> => {
  const outcome = await runCheck(directory, ['--json', ...args], environment);
  if (outcome.output === '') throw new Error(outcome.errors);
  return { ...outcome, report: JSON.parse(outcome.output) as Report };
};
