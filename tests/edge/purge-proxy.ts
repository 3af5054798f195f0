import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How long `delay` delays a purge, far below any deadline in these tests. Milliseconds. */
export const DELAY = 500;

/** Longer than the three seconds after which purges are repeated. Milliseconds. */
const QUIET = 4000;

/** Stands between the plugin and an edge, and treats purges as a bad network might. */
export class PurgeProxy {
  readonly #server: Server;
  /** The origin to which purges are forwarded; `undefined` while there is no edge yet. */
  upstream: string | undefined;
  /** `refuse` responds with 500, `lose` never responds, `delay` responds late, `down` breaks the connection. */
  does: 'pass' | 'refuse' | 'lose' | 'delay' | 'down' = 'pass';
  /** The keys of each purge received. */
  readonly purges: string[][] = [];

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.purges.push(String(incoming.headers['xkey-purge'] ?? incoming.headers['xkey-ban']).split(/[ |]/));
      if (this.does === 'refuse') outgoing.writeHead(500).end();
      else if (this.does === 'down') incoming.socket.destroy();
      else if (this.does === 'delay') setTimeout(() => this.#pass(incoming, outgoing), DELAY);
      else if (this.does === 'pass') this.#pass(incoming, outgoing);
    });
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.upstream === undefined) {
      outgoing.end();
      return;
    }
    const { method, headers, url } = incoming;
    const onwards = request(new URL(url ?? '/', this.upstream), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502);
      answer.pipe(outgoing);
    });
    onwards.on('error', () => outgoing.writeHead(502).end());
    onwards.end();
  }

  /** Resolves when no purge has arrived for longer than it takes to repeat one. */
  async quiet(): Promise<void> {
    let before = -1;
    while (this.purges.length !== before) {
      before = this.purges.length;
      await delay(QUIET);
    }
  }

  static start(): Promise<PurgeProxy> {
    const proxy = new PurgeProxy();
    return new Promise((resolve) => proxy.#server.listen(0, '127.0.0.1', () => resolve(proxy)));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
