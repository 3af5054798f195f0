import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, onCore, type Server } from './child';

/**
 * Requests at the beginning of a turn that do not count: the processor's caches, and what V8 had assumed, are those of
 * whoever had the turn before.
 */
const SETTLING = 6;

/** A load generator that asks for so many new keys and says when all answers are in. */
export class NewKeyLoad {
  readonly #child: ChildProcess;
  #asked = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(): Promise<NewKeyLoad> {
    const script = fileURLToPath(new URL('new-key-load.mjs', import.meta.url));
    const [command, args] = onCore(LOAD_CORE, process.execPath, [script]);
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)));
    });
    return new NewKeyLoad(child);
  }

  ask(url: string, requests: number): Promise<void> {
    const id = (this.#asked += 1);
    return new Promise((resolve, reject) => {
      const failed = (code: number | null): void => reject(new Error(`the load generator ended with ${code}`));
      const listen = (message: { readonly id?: number }): void => {
        if (message.id !== id) return;
        this.#child.off('message', listen);
        this.#child.off('exit', failed);
        resolve();
      };
      this.#child.on('message', listen);
      this.#child.once('exit', failed);
      this.#child.send({ id, url, requests });
    });
  }

  /** Microseconds of CPU that one of so many requests costs the server. */
  async cost(server: Server, path: string, requests: number): Promise<number> {
    await this.ask(server.url(path), SETTLING);
    const before = await server.ask('usage');
    await this.ask(server.url(path), requests);
    const after = await server.ask('usage');
    return (after.cpu - before.cpu) / requests;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
