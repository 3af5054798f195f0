import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between one process and its Redis: may delay, fall silent, or cut the wire. Loopback only. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #mode: 'pass' | 'silent' | 'cut' = 'pass';

  private constructor(
    target: number,
    /** One way, in milliseconds. */
    readonly latency: number,
  ) {
    this.#server = createServer((near) => {
      if (this.#mode === 'cut') {
        near.destroy();
        return;
      }
      const far = connect(target, '127.0.0.1');
      this.#pipe(near, far);
      this.#pipe(far, near);
    });
  }

  static async to(target: number, latency = 0): Promise<TcpProxy> {
    const proxy = new TcpProxy(target, latency);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** `silent`: packets vanish, as in a partition; `cut`: connections break and new ones are refused. */
  set mode(mode: 'pass' | 'silent' | 'cut') {
    const was = this.#mode;
    this.#mode = mode;
    // What vanished is gone for good: a healed network does not replay it on connections that missed it.
    if (mode === 'cut' || (was === 'silent' && mode === 'pass')) for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pipe(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (data) => {
      const forward = (): void => {
        if (this.#mode === 'pass' && !to.destroyed) to.write(data);
      };
      if (this.latency === 0) forward();
      else setTimeout(forward, this.latency);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
