import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { likelyName } from '../server/src/config/nearest-name';
import { compileApplication } from './compiled-application';
import { loadApplication } from './load-application';
import { ORIGIN_NAMES, PLUGIN_NAME, type OriginName } from './moves';
import { printReport } from './print-report';
import { reportOn, type Report } from './report';

const USAGE = `Usage: ${PLUGIN_NAME} check [--from ${ORIGIN_NAMES.join('|')}] [--json]

Says what the cache configuration of the Strapi application in this folder does, and changes nothing.
Exit code 1: something is unsafe. 2: the configuration, or the application, cannot be read.`;

/** What the parent process passes to the process that loads the application. */
interface Task {
  readonly distDir: string;
  readonly scratch: string;
  readonly from: OriginName | undefined;
  readonly json: boolean;
}

const TASK = 'REST_CACHE_CHECK';

/** @returns the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  const task = process.env[TASK];
  if (task !== undefined) return check(JSON.parse(task) as Task);
  try {
    const asked = askedOf(args);
    if (asked !== undefined) return await runApart(asked);
    console.log(USAGE);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
};

type Asked = Pick<Task, 'from' | 'json'>;

/**
 * @returns `undefined` if help is asked for.
 * @throws Error that shows the usage, or says what is wrong with the arguments.
 */
const askedOf = (args: readonly string[]): Asked | undefined => {
  const { values, positionals } = parsed(args);
  if (values.help) return undefined;
  const [command, ...others] = positionals;
  if (command !== 'check' || others.length > 0) throw new Error(USAGE);
  const from = ORIGIN_NAMES.find((name) => name === values.from);
  if (values.from === undefined || from !== undefined) return { from, json: values.json };
  const near = likelyName(values.from, ORIGIN_NAMES);
  throw new Error(
    `--from is "${values.from}"; expected ${ORIGIN_NAMES.join(', ')}` +
      (near === undefined ? '' : `; did you mean "${near}"?`),
  );
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        from: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
};

/** Runs `check` in a process of its own, which may write files only in an empty folder and may not start processes. */
const runApart = async (asked: Asked): Promise<number> => {
  const appDir = process.cwd();
  const require = createRequire(path.join(appDir, 'package.json'));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rest-cache-check-'));
  const [application, scratch] = [path.join(folder, 'application'), path.join(folder, 'scratch')];
  mkdirSync(scratch);
  try {
    const task: Task = { ...asked, distDir: compileApplication(appDir, application), scratch };
    const child = spawn(process.execPath, [...permissions(scratch), process.argv[1] ?? ''], {
      stdio: 'inherit',
      env: {
        ...process.env,
        [TASK]: JSON.stringify(task),
        // Compiled code lies outside the application, from where its packages would not be found.
        NODE_PATH: [...(require.resolve.paths('strapi') ?? []), process.env.NODE_PATH ?? ''].join(path.delimiter),
      },
    });
    // Signals are passed on to the child, so that this process lives on to remove the folder.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 2));
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Flags of Node.js' permission model. Native code (database drivers) and threads stay allowed. */
const permissions = (scratch: string): string[] => {
  const isKnown = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag);
  return [
    isKnown('--permission') ? '--permission' : '--experimental-permission',
    ...['--allow-fs-read=*', `--allow-fs-write=${path.join(scratch, '*')}`, '--allow-worker'],
    ...['--allow-addons', '--allow-wasi', '--allow-net'].filter(isKnown),
    '--no-warnings',
  ];
};

const check = async ({ distDir, scratch, from, json }: Task): Promise<number> => {
  const write = process.stdout.write.bind(process.stdout);
  // What the application prints while it is loaded is not part of the report.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  process.on('uncaughtException', (error) => process.exit(failed(error)));
  try {
    const report = await reportOn(await loadApplication(process.cwd(), distDir), from, scratch);
    const text = json ? JSON.stringify(report, undefined, 2) : printReport(report);
    await new Promise<void>((resolve) => void write(`${text}\n`, () => resolve()));
    return exitCode(report);
  } catch (error) {
    return failed(error);
  }
};

const exitCode = ({ problems, unsafe }: Report): number => (problems.length > 0 ? 2 : unsafe.length > 0 ? 1 : 0);

/** Node.js' message when the permission model denies something. Of the error, Strapi passes on only the message. */
const DENIED = 'Access to this API has been restricted';

/** @returns the exit code. */
const failed = (error: unknown): number => {
  const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\nRequire stack:', 1);
  console.error(`The application cannot be loaded: ${message}`);
  const [, gone] = /Cannot find module '(@strapi-community\/[^']+|strapi-[^']*rest-cache[^']*)'/.exec(message) ?? [];
  if (gone !== undefined)
    console.error(
      `Remove the code of ${gone} from config/plugins. docs/migrating.md of ${PLUGIN_NAME} has a command for this.`,
    );
  if (message.includes(DENIED))
    console.error(
      "The application's code writes a file or starts a program while it is loaded. check forbids this, because it must " +
        'change nothing. Move that code to register() or bootstrap(), which check does not run.',
    );
  return 2;
};
