import { createServer } from 'node:net';

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** How much higher the second port of a node of a Redis cluster is. */
const BUS = 10_000;

/**
 * A free port for a server that cannot choose one itself, and {@link BUS} above it another. Both are below 32,768: from
 * there on, Linux takes the ports of outgoing connections, one of which may be faster than the server.
 */
export const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = 12_000 + Math.floor(Math.random() * BUS);
    if ((await isFree(port)) && (await isFree(port + BUS))) return port;
  }
  throw new Error('no free port');
};
