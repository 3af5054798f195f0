import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** What Node runs. Other files may be written while the application runs, as the documentation plugin does. */
const CODE: ReadonlySet<string> = new Set(['.js', '.cjs', '.mjs']);

/** Configuration that may be another for each process of one release, and shapes no answer. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set(['admin', 'database', 'logger', 'plugins', 'server']);

/** By these an application's packages are of the versions they are of. Where it runs there may be none. */
const LOCK_FILES: readonly string[] = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'];

interface Folders {
  readonly root: string;
  /** Of what runs: the compiled one, where there is one. */
  readonly src: string;
  readonly config: string;
}

/**
 * Names an application's own code and the packages it was installed with: another release may answer otherwise. What
 * cannot be read, as in an application that is bundled into one file, is left out.
 */
export const applicationCode = async ({ root, src, config }: Folders): Promise<string> => {
  const hash = createHash('sha256');
  const add = async (folder: string, names: readonly string[]): Promise<void> => {
    for (const name of [...names].sort()) {
      const text = await readFile(path.join(folder, name)).catch(() => undefined);
      if (text !== undefined) hash.update(`${name}\0${text.byteLength}\0`).update(text);
    }
  };
  await add(src, await codeIn(src));
  await add(
    config,
    (await codeIn(config)).filter((name) => !OF_ONE_PROCESS.has(path.parse(name).name)),
  );
  await add(root, LOCK_FILES);
  return hash.digest('base64url');
};

const codeIn = async (folder: string): Promise<string[]> => {
  const inside = await readdir(folder, { recursive: true }).catch(() => []);
  return inside.filter((name) => CODE.has(path.extname(name)));
};
