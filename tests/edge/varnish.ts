import { freePort } from '../application/free-port';
import { Daemon, documented, example, isInstalled } from './daemon';

const EXECUTABLE = '/usr/sbin/varnishd';

export const hasVarnish = (): boolean => isInstalled(EXECUTABLE, 'varnish varnish-modules');

/** docs/examples/varnish.vcl with another port; for bans with the replacements that docs/cdns-and-proxies.md names. */
const vclFor = (strapiPort: string, method: 'xkey' | 'ban'): string => {
  const xkey = example('varnish.vcl').replace('"1337"', `"${strapiPort}"`);
  if (method === 'xkey') return xkey;
  return xkey
    .replace('import xkey;', 'import std;')
    .replace(/xkey\.purge\(.*\n.*\n/, () => documented('vcl', 'std.ban('));
};

export class Varnish {
  readonly #daemon: Daemon;

  private constructor(
    daemon: Daemon,
    readonly origin: string,
  ) {
    this.#daemon = daemon;
  }

  static async start(strapi: string, method: 'xkey' | 'ban' = 'xkey'): Promise<Varnish> {
    const daemon = new Daemon('varnish');
    const vcl = daemon.write('edge.vcl', vclFor(new URL(strapi).port, method));
    const port = await freePort();
    const args = ['-F', '-n', daemon.path('work'), '-a', `127.0.0.1:${port}`, '-f', vcl, '-s', 'malloc,64m'];
    // `-j none`: without Varnish's own users and sandboxes, which a container may not have.
    const origin = `http://127.0.0.1:${port}`;
    await daemon.run(EXECUTABLE, [...args, '-j', 'none'], origin);
    return new Varnish(daemon, origin);
  }

  stop(): Promise<void> {
    return this.#daemon.stop();
  }
}
