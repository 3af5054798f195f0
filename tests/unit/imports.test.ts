import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = path.join(ROOT, 'server/src');

/** Each folder imports only from the folders before it. Strapi's own folders come last. */
const FOLDERS = [
  ...[
    'cache',
    'sql',
    'database',
    'dependencies',
    'observe',
    'config',
    'edge',
    'providers',
    'http',
    'stack',
    'handlers',
    'background',
    'lanes',
    'graphql',
  ],
  ...['monitor', 'plugin', 'admin-api', 'middlewares', 'policies', 'controllers', 'routes', 'services'],
];

/** These folders import from no other folder. */
const ALONE = ['cache', 'sql'];

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The plugin's own files that a file imports, even if only for their types, as paths from `folder`. */
const pathsIn = (folder: string, file: string): string[] =>
  ts
    .preProcessFile(readFileSync(path.join(folder, file), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => path.join(path.dirname(file), name));

/** Files below `server/src` that a file there imports. */
const importsOf = (file: string): string[] =>
  pathsIn(SOURCES, file)
    .map((name) => [`${name}.ts`, `${name}/index.ts`].find((candidate) => files.includes(candidate)))
    .filter((name) => name !== undefined);

const graph = new Map(files.map((file) => [file, importsOf(file)]));

/** The folder of a file; `''` for files at the top, which are Strapi's entry points and put everything together. */
const folderOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

/** Whether one folder may import from another. */
const isBelow = (other: string, folder: string): boolean =>
  folder === '' ||
  other === folder ||
  (!ALONE.includes(folder) && FOLDERS.slice(0, FOLDERS.indexOf(folder)).includes(other));

const circleFrom = (start: string): readonly string[] | undefined => {
  const visited = new Set<string>();
  const search = (file: string, way: readonly string[]): readonly string[] | undefined => {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return [...way, next];
      if (visited.has(next)) continue;
      visited.add(next);
      const circle = search(next, [...way, next]);
      if (circle !== undefined) return circle;
    }
    return undefined;
  };
  return search(start, [start]);
};

describe('imports within server/src', () => {
  it('follow the order of folders that the documentation shows', () => {
    const layout =
      readFileSync(path.join(ROOT, 'docs/internals/architecture.md'), 'utf8').split('server/src/\n')[1] ?? '';
    const documented = [...layout.matchAll(/^ {2}([a-z-]+)\/ {2,}\S/gm)].map(([, folder]) => folder);
    expect(documented).toEqual(FOLDERS.slice(0, documented.length));
    // The page lists Strapi's own folders on one line.
    expect(FOLDERS.slice(documented.length)).toEqual(['middlewares', 'policies', 'controllers', 'routes', 'services']);
  });

  it('come from known folders', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => folder !== '' && !FOLDERS.includes(folder))).toEqual(
      [],
    );
  });

  it('go from a folder to those below it', () => {
    expect(graph.get('cache/response-cache.ts')).toContain('cache/flights.ts');
    const upwards = [...graph].flatMap(([file, imported]) =>
      imported.filter((other) => !isBelow(folderOf(other), folderOf(file))).map((other) => `${file} → ${other}`),
    );
    expect(upwards).toEqual([]);
  });

  it('stay there, so that no test is shipped with the server', () => {
    const outwards = files.flatMap((file) => pathsIn(SOURCES, file).filter((name) => name.startsWith('..')));
    expect(outwards).toEqual(['../../package.json']);
  });

  it('go round in no circle', () => {
    expect(files.map(circleFrom).filter((circle) => circle !== undefined)).toEqual([]);
  });
});

it('the contract suite imports the contract alone', () => {
  const suite = readdirSync(path.join(ROOT, 'provider-suite')).filter((file) => file.endsWith('.ts'));
  const imported = suite.flatMap((file) => pathsIn(ROOT, path.join('provider-suite', file)));
  expect(imported).toContain('server/src/cache/provider');
  expect(imported.filter((name) => !/^(provider-suite|server\/src\/cache)\//.test(name))).toEqual([]);
});

it('the command imports the server alone', () => {
  const command = readdirSync(path.join(ROOT, 'check')).filter((file) => file.endsWith('.ts'));
  const imported = command.flatMap((file) => pathsIn(ROOT, path.join('check', file)));
  expect(imported).toContain('server/src/config/resolve');
  expect(imported.filter((name) => !/^(check|server\/src)\//.test(name))).toEqual(['docs/migrating.md?raw']);
});
