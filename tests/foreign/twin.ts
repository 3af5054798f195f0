import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SECRETS } from '../application/paths';

const SCRIPT = fileURLToPath(new URL('instance.mjs', import.meta.url));

/** The same application on the same database, in another process and without the plugin. */
export class Twin {
  private constructor(
    readonly origin: string,
    readonly child: ChildProcess,
  ) {}

  static async start(directory: string, environment: Readonly<Record<string, string>>): Promise<Twin> {
    const child = fork(SCRIPT, [directory], {
      env: {
        ...process.env,
        ...SECRETS,
        STRAPI_TELEMETRY_DISABLED: 'true',
        ...environment,
        REST_CACHE: 'false',
      },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-5000)));
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the twin ended with ${String(code)}:\n${output}`)));
      child.once('message', (message: { ready: number }) => resolve(message.ready));
    });
    return new Twin(`http://127.0.0.1:${port}`, child);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
