import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { PLAYGROUND } from '../application/paths';

export interface PanelServer {
  readonly origin: string;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** One GET without credentials; resolves to its `X-Cache`. */
  visit(path: string, headers?: Record<string, string>): Promise<string | null>;
  /** Puts a clock that was set back forward, by milliseconds. */
  advance(forward: number): void;
  stop(): Promise<void>;
}

const MODULE = fileURLToPath(new URL('serve.mts', import.meta.url));

/**
 * Starts the playground as a production server in a process of its own.
 *
 * @param anHourAgo whether its clock is set back by an hour, to be put forward by `advance`.
 */
export const startPanelServer = async (restCache?: RestCacheConfig, anHourAgo = false): Promise<PanelServer> => {
  const child = fork(MODULE, {
    cwd: PLAYGROUND,
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'production', PANEL_SETTINGS: JSON.stringify({ restCache, anHourAgo }) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const origin = await originOf(child);
  const request = (path: string, init?: RequestInit): Promise<Response> => fetch(origin + path, init);
  return {
    origin,
    request,
    visit: async (path, headers = {}) => {
      const response = await request(path, { headers });
      await response.arrayBuffer();
      return response.headers.get('x-cache');
    },
    advance: (forward) => void child.send(forward),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), 10_000).unref();
      }),
  };
};

const originOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
    }
    child.once('message', (message: { origin: string }) => resolve(message.origin));
    child.once('exit', (code) => reject(new Error(`The server ended with code ${code}:\n${output}`)));
  });
