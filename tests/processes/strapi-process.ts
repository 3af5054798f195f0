import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLAYGROUND, SECRETS, TEMPLATE_PUBLIC, WORK } from '../application/paths';

const SCRIPT = fileURLToPath(new URL('instance.mjs', import.meta.url));

export interface InstanceSettings {
  readonly environment: Readonly<Record<string, string>>;
  /** The Redis provider's `localCache`. Default: the provider's own default. */
  readonly localCache?: false;
  /** The plugin's `strategy`. Default: the playground's own. */
  readonly strategy?: object;
  /** A function body that gets `strapi`. The application runs it in its register(), before the database is ready. */
  readonly onRegister?: string;
}

/** One of several Strapi processes, which can be paused and killed. */
export class StrapiProcess {
  readonly #settings: InstanceSettings;
  readonly #directory = path.join(WORK, randomUUID());
  #child: ChildProcess | undefined;
  #origin: string | undefined;
  #output = '';
  /** Whether it answers: it is neither stopped, killed nor starting. */
  isLive = false;
  /** How often it was ended. A request that began in an earlier life may have failed because of that. */
  life = 0;

  constructor(
    readonly name: string,
    settings: InstanceSettings,
  ) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    const { environment, localCache, strategy, onRegister } = this.#settings;
    const settings = {
      playground: PLAYGROUND,
      work: this.#directory,
      publicDirectory: TEMPLATE_PUBLIC,
      localCache,
      strategy,
      onRegister,
    };
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(settings)], {
      env: { ...process.env, ...SECRETS, NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true', ...environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data: Buffer) => this.#note(data.toString()));
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${this.name} ended with ${String(code)}:\n${this.#output}`)));
      child.on('message', (message: { ready?: number }) => {
        if (message.ready !== undefined) resolve(message.ready);
      });
    });
    this.#origin = `http://127.0.0.1:${port}`;
    this.isLive = true;
  }

  /** The latest part of its output. */
  get output(): string {
    return this.#output;
  }

  /** Bound to the process, because sessions use it without one. */
  readonly request = async (target: string, init?: RequestInit): Promise<Response> => fetch(this.origin + target, init);

  get origin(): string {
    if (this.#origin === undefined) throw new Error(`${this.name} has not started`);
    return this.#origin;
  }

  /** Runs a function body in the process, with `strapi` and `delay`; resolves to what it returns. */
  run<T = unknown>(body: string): Promise<T> {
    const child = this.#child;
    if (child === undefined) throw new Error(`${this.name} has not started`);
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const settle = (message: { id?: string; answer?: T; error?: string }): void => {
        if (message.id !== id) return;
        child.off('message', settle);
        if (message.error === undefined) resolve(message.answer as T);
        else reject(new Error(message.error));
      };
      child.on('message', settle);
      child.send({ id, body });
    });
  }

  /** Resolves when the process sends a message with a property of this name. */
  message(name: string): Promise<void> {
    return new Promise((resolve) => {
      const listen = (message: object): void => {
        if (!(name in message)) return;
        this.#child?.off('message', listen);
        resolve();
      };
      this.#child?.on('message', listen);
    });
  }

  /** Resolves when the process has ended by itself. */
  async ended(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    this.isLive = false;
  }

  get hasEnded(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  pause(): void {
    this.isLive = false;
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
    this.isLive = true;
  }

  /** Ends the process immediately: it cannot flush, announce or close anything. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends the process as a deployment does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #note(text: string): void {
    this.#output = (this.#output + text).slice(-20_000);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.isLive = false;
    this.life += 1;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
