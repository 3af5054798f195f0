import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, onCore } from './child';

const hasWrk = !process.env.BENCH_AUTOCANNON && spawnSync('wrk', ['--version']).status !== null;

export const loadGenerator = hasWrk ? 'wrk' : 'autocannon';

export interface Load {
  readonly url: string;
  readonly seconds: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections?: number;
  /** Appends a number to the URL that no request had before. */
  readonly unique?: boolean;
  /** Requests a second, for latencies; as many as possible if left out. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Answers other than 2xx and 3xx, and connections that failed. */
  readonly errors: number;
  /** Milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number };
}

let uniqueRuns = 0;

/** Asks as fast as answers come (closed loop), or at a constant rate, from a core of its own. */
export const load = (settings: Load, folder: string): Promise<LoadResult> =>
  hasWrk && settings.rate === undefined ? loadWithWrk(settings, folder) : loadWithAutocannon(settings);

const run = async (command: string, args: readonly string[]): Promise<string> => {
  const [bound, all] = onCore(LOAD_CORE, command, args);
  const child = spawn(bound, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
  return output;
};

/** A salt of this process and run: keys of earlier runs must not come back. */
const salt = (): string => `${process.pid}x${(uniqueRuns += 1)}x${Date.now() % 1_000_000}`;

const loadWithWrk = async (
  { url, seconds, headers = {}, connections = 50, unique = false }: Load,
  folder: string,
): Promise<LoadResult> => {
  const script = path.join(folder, 'load.lua');
  const next = unique
    ? `local n = 0\nlocal path = ${JSON.stringify(new URL(url).pathname + new URL(url).search)}\nrequest = function() n = n + 1 return wrk.format("GET", path .. "&unique=${salt()}x" .. n) end\n`
    : '';
  const done = `done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration, e.status + e.connect + e.read + e.write + e.timeout, latency:percentile(50), latency:percentile(99)))
end\n`;
  writeFileSync(script, next + done);
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const output = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, ...fields, url]);
  const [requests = 0, duration = 1, errors = 0, p50 = 0, p99 = 0] = (/RESULT (.*)/.exec(output)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return { requests, perSecond: requests / (duration / 1e6), errors, latency: { p50: p50 / 1000, p99: p99 / 1000 } };
};

const autocannon = fileURLToPath(new URL('autocannon-load.mjs', import.meta.url));

const loadWithAutocannon = async (settings: Load): Promise<LoadResult> =>
  JSON.parse(
    await run(process.execPath, [autocannon, JSON.stringify({ connections: 50, ...settings, salt: salt() })]),
  ) as LoadResult;
