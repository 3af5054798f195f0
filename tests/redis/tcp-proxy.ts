import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between one process and its Redis. It can delay data, fall silent, or cut the connections. Loopback only. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #mute = new WeakSet<Socket>();
  #mode: 'pass' | 'silent' | 'deaf' | 'cut' = 'pass';
  /** Everything that the process has sent. */
  heard = '';
  /** How many bytes Redis has sent. */
  received = 0;
  #turns = 0;
  #lastWord: 'process' | 'redis' = 'redis';

  private constructor(
    target: number,
    /** The delay in one direction, in milliseconds. */
    readonly latency: number,
  ) {
    // Whether the end of a connection is answered is up to the other side.
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      if (this.#mode === 'cut') {
        near.destroy();
        return;
      }
      const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
      near.on('data', (data) => {
        this.heard += data.toString('latin1');
        if (this.#lastWord === 'redis') this.#turns += 1;
        this.#lastWord = 'process';
      });
      far.on('data', ({ length }) => {
        this.#lastWord = 'redis';
        this.received += length;
      });
      this.#pipe(near, far, ['pass', 'deaf']);
      this.#pipe(far, near, ['pass']);
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

  /**
   * `silent`: packets vanish, as in a partition, and the connections of that time stay silent for ever, as behind a
   * firewall that has forgotten them. `deaf`: Redis hears everything, and its replies vanish, until the connections are
   * cut. `cut`: connections break, and new ones are refused.
   */
  set mode(mode: 'pass' | 'silent' | 'deaf' | 'cut') {
    this.#mode = mode;
    if (mode === 'cut') for (const socket of this.#sockets) socket.destroy();
    if (mode === 'silent') for (const socket of this.#sockets) this.#mute.add(socket);
  }

  /**
   * How often the process has sent something after a response, or for the first time: the round trips that it has
   * waited for.
   */
  get turns(): number {
    return this.#turns;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pipe(from: Socket, to: Socket, passes: ReadonlyArray<'pass' | 'deaf'>): void {
    this.#sockets.add(from);
    if (this.#mode === 'silent') this.#mute.add(from);
    from.setNoDelay(true);
    from.on('data', (data) => {
      const forward = (): void => {
        if (passes.some((mode) => mode === this.#mode) && !this.#mute.has(from) && !to.destroyed) to.write(data);
      };
      if (this.latency === 0) forward();
      else setTimeout(forward, this.latency);
    });
    from.on('end', () => {
      if (!this.#mute.has(from)) to.end();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
