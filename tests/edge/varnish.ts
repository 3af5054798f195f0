import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from '../application/paths';

const EXECUTABLE = '/usr/sbin/varnishd';

/** Whether Varnish is installed. On CI a missing one is no excuse. */
export const hasVarnish = (): boolean => {
  if (existsSync(EXECUTABLE)) return true;
  if (process.env.CI === 'true') throw new Error('CI has no Varnish: install it, these tests must not be skipped');
  console.warn('Edge tests skipped: there is no Varnish (apt-get install varnish varnish-modules)');
  return false;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** The VCL that docs/edge.md shows, in front of another port. */
const vclFor = (strapiPort: string): string => {
  const page = readFileSync(path.join(ROOT, 'docs/edge.md'), 'utf8');
  const shown = /```vcl\n([^]*?)```/.exec(page)?.[1];
  if (shown?.includes('"1337"') !== true) throw new Error('docs/edge.md has no VCL for port 1337');
  return shown.replace('"1337"', `"${strapiPort}"`);
};

export class Varnish {
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(
    child: ChildProcess,
    directory: string,
    readonly origin: string,
  ) {
    this.#child = child;
    this.#directory = directory;
  }

  static async start(strapi: string): Promise<Varnish> {
    const directory = mkdtempSync(path.join(tmpdir(), 'rest-cache-varnish-'));
    const vcl = path.join(directory, 'edge.vcl');
    writeFileSync(vcl, vclFor(new URL(strapi).port));
    const port = await freePort();
    const args = ['-F', '-n', path.join(directory, 'work'), '-a', `127.0.0.1:${port}`, '-f', vcl, '-s', 'malloc,64m'];
    // Without its own users and sandboxes, which a container may not have.
    const child = spawn(EXECUTABLE, [...args, '-j', 'none'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const origin = `http://127.0.0.1:${port}`;
    for (
      let tries = 0;
      !(await fetch(`${origin}/_health`).then(
        ({ ok }) => ok,
        () => false,
      ));
      tries += 1
    ) {
      if (child.exitCode !== null || tries > 600) throw new Error(`Varnish does not answer:\n${said}`);
      await delay(100);
    }
    return new Varnish(child, directory, origin);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Stands between the plugin and an edge, and does to purges what a network may do. */
export class PurgeProxy {
  readonly #server: Server;
  /** Where purges go; `undefined` while there is nothing yet to be purged. */
  upstream: string | undefined;
  /** `refuse` answers 500, `lose` never answers. */
  does: 'pass' | 'refuse' | 'lose' = 'pass';
  /** Keys of each purge that came. */
  readonly purges: string[][] = [];

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.purges.push(String(incoming.headers['xkey-purge']).split(' '));
      if (this.does === 'refuse') {
        outgoing.writeHead(500).end();
      } else if (this.upstream === undefined) {
        outgoing.end();
      } else if (this.does === 'pass') {
        const { method, headers, url } = incoming;
        const onwards = request(new URL(url ?? '/', this.upstream), { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502);
          answer.pipe(outgoing);
        });
        onwards.on('error', () => outgoing.writeHead(502).end());
        onwards.end();
      }
    });
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
