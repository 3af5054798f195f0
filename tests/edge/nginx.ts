import { freePort } from '../application/free-port';
import { Daemon, example, isInstalled } from './daemon';

const EXECUTABLE = '/usr/sbin/nginx';

export const hasNginx = (): boolean => isInstalled(EXECUTABLE, 'nginx-light');

/** The configuration around the example, which is the user's own. */
const around = (daemon: Daemon, shown: string): string => `
  daemon off;
  master_process off;
  pid ${daemon.path('pid')};
  error_log stderr;
  events {}
  http {
    log_format kept '$upstream_cache_status';
    access_log ${daemon.path('kept.log')} kept;
    ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${daemon.path(name)};`).join('\n')}
    ${shown}
  }
`;

/** nginx with docs/examples/nginx.conf. */
export class Nginx {
  readonly #daemon: Daemon;

  private constructor(
    daemon: Daemon,
    readonly origin: string,
  ) {
    this.#daemon = daemon;
  }

  static async start(strapi: string): Promise<Nginx> {
    const daemon = new Daemon('nginx');
    const [outer, inner] = [await freePort(), await freePort()];
    const shown = example('nginx.conf')
      .replace('/var/cache/nginx/strapi', daemon.path('cache'))
      .replace('listen 80;', `listen 127.0.0.1:${outer};`)
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${inner}`)
      .replace('127.0.0.1:1337', new URL(strapi).host);
    const configuration = daemon.write('nginx.conf', around(daemon, shown));
    const origin = `http://127.0.0.1:${outer}`;
    await daemon.run(EXECUTABLE, ['-p', daemon.path('.'), '-e', 'stderr', '-c', configuration], origin);
    return new Nginx(daemon, origin);
  }

  /** How many responses had this cache status: `MISS`, `REVALIDATED` … */
  answered(how: string): number {
    return this.#daemon
      .read('kept.log')
      .split('\n')
      .filter((line) => line === how).length;
  }

  stop(): Promise<void> {
    return this.#daemon.stop();
  }
}
