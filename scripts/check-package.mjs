/**
 * Packs the built package and checks the tarball: with publint and "Are the types wrong?", that the declarations show
 * nothing internal, and that the links of the packed pages lead to packed files.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const problems = [];

const run = (command, args, cwd = root) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) problems.push(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
};

/** A declaration may import only from packages that are installed together with this one. */
const checkDeclarations = (folder) => {
  const installed = [manifest.name, ...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
  for (const file of readdirSync(folder, { recursive: true })) {
    if (!/\.d\.m?ts$/.test(file)) continue;
    const text = readFileSync(path.join(folder, file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import\() ?'([^']+)'/g)) {
      const isInstalled = installed.some((known) => name === known || name.startsWith(`${known}/`));
      if (!isInstalled && !name.startsWith('node:')) problems.push(`${file} imports from "${name}"`);
    }
    for (const inside of ['redis.call', '?raw', 'ResolvedConfig', 'Strapi.Core', 'zod'])
      if (text.includes(inside)) problems.push(`${file} shows "${inside}"`);
  }
};

/**
 * The program may require only dependencies. npm can be configured so that `npx` leaves out peer dependencies, and the
 * application brings its own.
 */
const checkProgram = (file) => {
  const installed = Object.keys(manifest.dependencies);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/\brequire\("([^"]+)"\)/g))
    if (!isBuiltin(name) && !installed.includes(name))
      problems.push(`${path.basename(path.dirname(file))} requires "${name}", which is not installed with the package`);
};

/** Pictures, and pages for contributors, stay in the repository. */
const NOT_PACKED = /^(?:(?:docs\/)?(?:screenshots|internals)\/.*|\.\.\/CONTRIBUTING\.md|CONTRIBUTING\.md)$/;

const checkLinks = (folder) => {
  const pages = ['README.md', ...readdirSync(path.join(folder, 'docs')).map((name) => `docs/${name}`)];
  for (const page of pages.filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(path.join(folder, page), 'utf8');
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(link) || NOT_PACKED.test(link)) continue;
      if (!existsSync(path.join(folder, path.dirname(page), link)))
        problems.push(`${page} leads to ${link}, which is not packed`);
    }
  }
};

const directory = mkdtempSync(path.join(os.tmpdir(), 'rest-cache-check-'));
try {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory]);
  const tarball = path.join(directory, `${manifest.name}-${manifest.version}.tgz`);
  run('publint', ['--strict', tarball]);
  // `./check` is a program and has no types. It is an export only because Strapi's build bundles nothing else.
  run('attw', [tarball, '--exclude-entrypoints', './check']);
  run('tar', ['-xzf', tarball], directory);
  const folder = path.join(directory, 'package');
  checkDeclarations(path.join(folder, 'dist'));
  checkProgram(path.join(folder, manifest.bin[manifest.name]));
  checkLinks(folder);
} finally {
  rmSync(directory, { recursive: true });
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('publint, types, declarations and links of the tarball are right');
