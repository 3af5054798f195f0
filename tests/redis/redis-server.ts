import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../application/free-port';

/**
 * The server under test: Redis, or one that speaks its protocol
 * (`REST_CACHE_TEST_REDIS_SERVER=/usr/bin/valkey-server`).
 */
const binary = process.env.REST_CACHE_TEST_REDIS_SERVER ?? 'redis-server';

/** Why the tests cannot run here; `undefined` if they can. On CI, a missing binary fails the tests. */
export const missingRedis = ((): string | undefined => {
  try {
    execFileSync(binary, ['--version']);
    return undefined;
  } catch {
    if (process.env.CI === 'true') throw new Error(`CI has no ${binary}: install it, these tests must not be skipped`);
    return `no ${binary} on this machine: tests/redis skipped`;
  }
})();
if (missingRedis !== undefined) console.warn(missingRedis);

const running = new Set<RedisServer>();

/** Makes a server end with its parent process, whichever way that ends: vitest kills its workers (Linux only). */
const withParent = ((): readonly string[] => {
  const setpriv = ['setpriv', '--pdeathsig', 'KILL'] as const;
  return spawnSync(setpriv[0], [...setpriv.slice(1), 'true']).status === 0 ? setpriv : [];
})();

/** A redis-server on the loopback, with a directory of its own. */
export class RedisServer {
  readonly #directory = mkdtempSync(join(tmpdir(), 'rest-cache-redis-'));
  #process: ChildProcess | undefined;

  constructor(
    readonly port: number,
    readonly args: readonly string[] = [],
  ) {}

  static async start(...args: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), args);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get directory(): string {
    return this.#directory;
  }

  async start(): Promise<void> {
    running.add(this);
    const base = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#directory, '--save', ''];
    const sentinel = this.args[0]?.endsWith('.conf') === true;
    const [command = '', ...args] = [...withParent, binary, ...(sentinel ? [] : base), ...this.args];
    const child = spawn(command, args, { stdio: 'ignore' });
    this.#process = child;
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if (child.exitCode !== null) throw new Error(`${binary} on port ${this.port} ended at once`);
      if (await this.#answers()) return;
      await delay(20);
    }
    throw new Error(`${binary} on port ${this.port} does not answer`);
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM'): void {
    this.#process?.kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async end(): Promise<void> {
    running.delete(this);
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Runs a command on a connection of its own. */
  async command<T = unknown>(...commandLine: string[]): Promise<T> {
    return this.admin(async (redis) => (await redis.call(commandLine[0] ?? 'PING', ...commandLine.slice(1))) as T);
  }

  async admin<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.port, '127.0.0.1', {
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Whether the server responds to PING, even if only to ask for a password. */
  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write('PING\r\n'));
      socket.setTimeout(500, () => socket.destroy());
      socket.on('data', (data) => {
        resolve(!data.toString().includes('LOADING'));
        socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(false));
    });
  }
}

process.on('exit', () => {
  for (const server of running) server.signal('SIGKILL');
});
