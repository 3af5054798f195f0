import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Extensions of files that Node runs. Other files may be written at run time, as the documentation plugin does. */
const CODE: ReadonlySet<string> = new Set(['.js', '.cjs', '.mjs']);

/** Configuration files that may differ between the processes of one release, and shape no response: left out. */
const OF_ONE_PROCESS: ReadonlySet<string> = new Set(['admin', 'database', 'logger', 'plugins', 'server']);

/** They determine the versions of the application's packages. Where the application runs, there may be none. */
const LOCK_FILES: readonly string[] = ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'];

interface Folders {
  readonly root: string;
  /** The folder of the code that runs: the compiled one, if there is one. */
  readonly src: string;
  readonly config: string;
}

/**
 * A digest of the application's own code and of its lock files, because another release may answer differently. Files
 * that cannot be read, as in an application that is bundled into one file, are left out.
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
