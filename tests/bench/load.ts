import { fileURLToPath } from 'node:url';
import { Child, SERVER_CORE } from './child';

/** What to ask a server for. */
export interface Requests {
  /** One after another; most often one. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** So many are on the way at once. */
  readonly connections?: number;
  /** Appends a number to each URL that no request had before. */
  readonly unique?: boolean;
}

/** Microseconds of CPU, the process's whole life. */
const used = async (server: Child): Promise<number> => ((await server.ask('usage')) as { readonly cpu: number }).cpu;

/**
 * The process that asks. It shares the servers' core: while it sends a burst the server waits, and while the server
 * answers it waits itself, so that a server always finds as many requests. On a core of its own it would have to be woken
 * for every answer, which on a virtual machine costs the server more than the answer.
 */
export class Load {
  readonly #child: Child;

  private constructor(child: Child) {
    this.#child = child;
  }

  static async start(): Promise<Load> {
    const script = fileURLToPath(new URL('load-process.mjs', import.meta.url));
    const load = new Load(await Child.start('the load generator', [script]));
    load.#child.bindTo(SERVER_CORE);
    return load;
  }

  /**
   * Microseconds of CPU that one of so many requests costs the server.
   *
   * The first bursts do not count: the processor's caches, and what V8 had assumed, are those of whoever had the turn
   * before.
   */
  async cost(server: Child, requests: Requests, count: number): Promise<number> {
    return this.during(server, requests, async (ask) => {
      const before = await used(server);
      await ask(count);
      return ((await used(server)) - before) / count;
    });
  }

  /** Milliseconds until each of so many requests was answered that are sent at a constant rate. */
  async latencies(server: Child, requests: Requests, about: { count: number; rate: number }): Promise<number[]> {
    return this.during(server, requests, () => this.#child.ask('latencies', about) as Promise<number[]>);
  }

  /** Holds connections open; `ask` sends so many requests over them. */
  async during<Result>(
    server: Child,
    requests: Requests,
    use: (ask: (count: number) => Promise<unknown>) => Promise<Result>,
  ): Promise<Result> {
    const connections = requests.connections ?? 50;
    await this.#child.ask('open', { ...requests, connections, port: server.ready });
    try {
      await this.#child.ask('ask', 2 * connections);
      return await use((count) => this.#child.ask('ask', count));
    } finally {
      await this.#child.ask('close');
    }
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
