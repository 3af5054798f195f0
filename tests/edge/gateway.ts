import net, { type AddressInfo, type Server } from 'node:net';

/** One address for a Strapi that restarts on another port, so that the cache in front of it stays as it is. */
export class Gateway {
  readonly #server: Server;
  /** Strapi's current origin. */
  upstream = '';

  private constructor() {
    this.#server = net.createServer((near) => {
      const { hostname, port } = new URL(this.upstream);
      const far = net.connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
      }
    });
  }

  static start(): Promise<Gateway> {
    const gateway = new Gateway();
    return new Promise((resolve) => gateway.#server.listen(0, '127.0.0.1', () => resolve(gateway)));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }
}
