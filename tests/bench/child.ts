import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * The core on which the servers run, together with the process that sends requests. Only one server is measured at a
 * time.
 */
export const SERVER_CORE = 0;

const can = (command: string, ...args: string[]): boolean => spawnSync(command, [...args, 'true']).status === 0;

export const pinned = can('taskset', '-c', String(SERVER_CORE));

/** The number of questions so far, to all processes. */
let asked = 0;

interface Message {
  readonly ready?: number;
  readonly id?: number;
  readonly answer?: unknown;
  readonly error?: string;
}

/** A child process that answers questions. */
export class Child {
  readonly #child: ChildProcess;

  private constructor(
    readonly name: string,
    child: ChildProcess,
    /** The number that the process sent when it was ready. */
    readonly ready: number,
  ) {
    this.#child = child;
  }

  static async start(
    name: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Child> {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...environment, NODE_ENV: 'production' },
      // Strapi's log is not written to a terminal, as on a production server.
      stdio: ['ignore', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore', 'inherit', 'ipc'],
    });
    const ready = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
      child.on('message', (message: Message) => message.ready !== undefined && resolve(message.ready));
    });
    return new Child(name, child, ready);
  }

  /** The origin of a server, which sends its port when it is ready. */
  get origin(): string {
    return `http://127.0.0.1:${this.ready}`;
  }

  /** The same process, with another port that it listens on. */
  at(port: number): Child {
    return new Child(this.name, this.#child, port);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Binds all threads of the process to one core, if the machine supports it. */
  bindTo(core: number): void {
    if (pinned) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(this.pid)]);
  }

  ask(question: string, about?: unknown): Promise<unknown> {
    const id = (asked += 1);
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`${this.name} ended with ${code}`));
      const listen = (message: Message): void => {
        if (message.id !== id) return;
        this.#child.off('message', listen).off('exit', ended);
        if (message.error === undefined) resolve(message.answer);
        else reject(new Error(`${this.name}: ${message.error}`));
      };
      this.#child.on('message', listen).once('exit', ended);
      // The callback receives the error if the process has ended. Without a callback it would be thrown as an uncaught
      // error.
      this.#child.send(
        { id, ask: question, about },
        (error) => error && reject(new Error(`${this.name}: ${error.message}`)),
      );
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}
