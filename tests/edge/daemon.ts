import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from '../application/paths';

/** Whether the executable is installed. On CI, a missing one fails the tests. */
export const isInstalled = (executable: string, packages: string): boolean => {
  if (existsSync(executable)) return true;
  if (process.env.CI === 'true')
    throw new Error(`CI has no ${executable}: install it, these tests must not be skipped`);
  console.warn(`Edge tests skipped: there is no ${executable} (apt-get install ${packages})`);
  return false;
};

/** A file that docs/cdns-and-proxies.md gives its reader to copy. */
export const example = (name: string): string => readFileSync(path.join(ROOT, 'docs/examples', name), 'utf8');

/** The block of docs/cdns-and-proxies.md in this language that contains this word. */
export const documented = (language: string, word: string): string => {
  const page = readFileSync(path.join(ROOT, 'docs/cdns-and-proxies.md'), 'utf8');
  const shown = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
  const found = shown.find((text) => text.includes(word));
  if (found === undefined) throw new Error(`docs/cdns-and-proxies.md has no ${language} with ${word}`);
  return found;
};

/** A program that runs in a directory of its own. */
export class Daemon {
  readonly #directory: string;
  #child: ChildProcess | undefined;

  constructor(name: string) {
    this.#directory = mkdtempSync(path.join(tmpdir(), `rest-cache-${name}-`));
  }

  path(name: string): string {
    return path.join(this.#directory, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Starts the program. Resolves when it passes Strapi's responses on. */
  async run(executable: string, args: readonly string[], origin: string): Promise<void> {
    const child = spawn(executable, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const answers = (): Promise<boolean> =>
      fetch(`${origin}/_health`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (let tries = 0; !(await answers()); tries += 1) {
      if (child.exitCode !== null || tries > 600) throw new Error(`${executable} does not answer:\n${said}`);
      await delay(100);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
