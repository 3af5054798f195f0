import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const hasTaskset = spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** The core the servers share (only one is asked at a time), and the one that asks. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** A command bound to one core, where the machine can do that. */
export const onCore = (core: number, command: string, args: readonly string[]): [string, string[]] =>
  hasTaskset ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];

export const pinned = hasTaskset;

export interface Usage {
  /** Microseconds of CPU, the process's whole life. */
  readonly cpu: number;
  readonly rss: number;
  readonly queries: number;
}

/** A server process that answers questions about itself beside HTTP. */
export class Server {
  readonly #child: ChildProcess;
  #asked = 0;

  private constructor(
    readonly name: string,
    child: ChildProcess,
    readonly port: number,
  ) {
    this.#child = child;
  }

  static async start(
    name: string,
    script: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Server> {
    const [command, all] = onCore(SERVER_CORE, process.execPath, [script, ...args]);
    const child = spawn(command, all, {
      env: { ...process.env, ...environment, NODE_ENV: 'production' },
      // Strapi's log goes where a production server's would: somewhere that is not a terminal.
      stdio: ['ignore', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore', 'inherit', 'ipc'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
      child.on('message', (message: { ready?: number }) => message.ready !== undefined && resolve(message.ready));
    });
    return new Server(name, child, port);
  }

  ask(question: 'usage'): Promise<Usage>;
  ask(question: string, about?: string): Promise<unknown>;
  ask(question: string, about?: string): Promise<unknown> {
    const id = (this.#asked += 1);
    return new Promise((resolve, reject) => {
      const listen = (message: { id?: number; answer?: unknown }): void => {
        if (message.id !== id) return;
        this.#child.off('message', listen);
        resolve(message.answer);
      };
      this.#child.on('message', listen);
      // Its callback takes the error of a process that has ended; without one it would be thrown at everybody.
      this.#child.send(
        { id, ask: question, about },
        (error) => error && reject(new Error(`${this.name}: ${error.message}`)),
      );
    });
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.send({ id: 0, ask: 'stop' });
    await ended;
  }
}
