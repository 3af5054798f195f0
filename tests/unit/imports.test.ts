import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const SOURCES = path.resolve(import.meta.dirname, '../../server/src');

/** From the ground up: each folder imports from those before it and from no other. Strapi's own come last. */
const FOLDERS = [
  ...['cache', 'sql', 'database', 'dependencies', 'observe', 'config', 'providers', 'provider-suite', 'http', 'lanes'],
  ...['monitor', 'plugin', 'admin-api', 'middlewares', 'policies', 'controllers', 'routes', 'services'],
];

/** These know nothing of the rest. */
const ALONE = ['cache', 'sql'];

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** Files below `server/src` that a file imports, be it for their types. */
const importsOf = (file: string): string[] =>
  ts
    .preProcessFile(readFileSync(path.join(SOURCES, file), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => path.join(path.dirname(file), name))
    .map((name) => [`${name}.ts`, `${name}/index.ts`].find((candidate) => files.includes(candidate)))
    .filter((name) => name !== undefined);

const graph = new Map(files.map((file) => [file, importsOf(file)]));

/** `''` for what stands at the top: Strapi's entry points, which put everything together. */
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
  it('are found', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(graph.get('index.ts')).toContain('register.ts');
    expect(graph.get('cache/response-cache.ts')).toContain('cache/flights.ts');
  });

  it('come from known folders', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => folder !== '' && !FOLDERS.includes(folder))).toEqual(
      [],
    );
  });

  it('go from a folder to those below it', () => {
    const upwards = [...graph].flatMap(([file, imported]) =>
      imported.filter((other) => !isBelow(folderOf(other), folderOf(file))).map((other) => `${file} → ${other}`),
    );
    expect(upwards).toEqual([]);
  });

  it('go round in no circle', () => {
    expect(files.map(circleFrom).filter((circle) => circle !== undefined)).toEqual([]);
  });
});
