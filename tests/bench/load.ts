import { fileURLToPath } from 'node:url';
import { Child, SERVER_CORE } from './child';

/** The requests to send to a server. */
export interface Requests {
  /** Requested one after another. Most often there is only one. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests are under way at once. */
  readonly connections?: number;
  /** Whether each URL gets a number appended that no earlier request had. */
  readonly unique?: boolean;
}

/** The microseconds of CPU that the process has used since it started. */
const used = async (server: Child): Promise<number> => ((await server.ask('usage')) as { readonly cpu: number }).cpu;

/**
 * The process that sends requests. It shares the servers' core: the server waits while it sends a burst, and it waits
 * while the server answers, so a server always finds the same number of requests. On a core of its own, it would have
 * to be woken for every response, which on a virtual machine costs the server more than the response.
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
   * The microseconds of CPU that one request costs the server, as the mean of `count` requests.
   *
   * The first bursts do not count, because the processor's caches and V8's assumptions still match the contestant of
   * the turn before.
   */
  async cost(server: Child, requests: Requests, count: number): Promise<number> {
    return this.during(server, requests, async (ask) => {
      const before = await used(server);
      await ask(count);
      return ((await used(server)) - before) / count;
    });
  }

  /** For each of many requests at a constant rate, the milliseconds until it was answered. */
  async latencies(server: Child, requests: Requests, about: { count: number; rate: number }): Promise<number[]> {
    return this.during(server, requests, () => this.#child.ask('latencies', about) as Promise<number[]>);
  }

  /** Keeps connections open while `use` runs. `ask` sends so many requests over them. */
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
