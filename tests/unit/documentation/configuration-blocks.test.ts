import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../server/src/config/resolve';
import { isUnsafe } from '../../../server/src/config/warning';
import { application, get } from '../config/application';
import { type Block, blocksIn, ROOT } from './blocks';

const PACKAGE = 'strapi-plugin-response-cache';
const FOLDER = path.join(ROOT, 'tests/types');

/** The declarations that the text around a block provides. */
const SURROUNDINGS = `
import type { Core } from '@strapi/strapi';
import type { CacheKey, Provider } from '${PACKAGE}';
declare global {
  const strapi: Core.Strapi;
  const env: (name: string, fallback?: string) => string;
  const documentId: string, uid: string, id: string, key: CacheKey, keys: CacheKey[], password: string;
  const temporaryDirectory: () => string;
  const MyProvider: new (...given: unknown[]) => Provider;
}
`;

/** The surroundings of options that a block shows alone. */
const AROUND: Readonly<Record<string, (options: string) => string>> = {
  provider: (options) => options,
  strategy: (options) => options,
  metrics: (options) => options,
  options: (options) => `provider: { name: 'redis', ${options} }`,
  contentTypes: (options) => `strategy: { ${options} }`,
  cacheControl: (options) => `strategy: { ${options} }`,
  statuses: (options) => `strategy: { ${options} }`,
  keys: (options) => `strategy: { contentTypes: [{ contentType: 'api::article.article', ${options} }] }`,
};

const asPlugins = (entries: string): string =>
  `import { defineConfig } from '${PACKAGE}';\nexport default ({ env }: { env(name: string): string }) => ({ ${entries} });`;
const asConfig = (options: string): string => asPlugins(`'rest-cache': { config: defineConfig({ ${options} }) }`);

/** If all lines begin with the same option, they are alternatives. */
const alternatives = (code: string): string[] => {
  const lines = code.trim().split('\n');
  const names = lines.map((line) => /^\w+(?=:)/.exec(line)?.[0]);
  const isList = lines.length > 1 && names.every((name) => name !== undefined && name === names[0]);
  return isList ? lines.map((line) => line.replace(/ \/\/ .*/, '')) : [code.trim()];
};

/** The modules that a reader would write from a block. */
const modulesOf = ({ code: written }: Block): string[] => {
  const code = written
    .replace(/^const (\{.*\}) = require\((.*)\);$/gm, 'import $1 from $2;')
    .replace(/^module\.exports = /m, 'export default ');
  const body = code.replace(/^(\/\/.*\n)+/, '');
  if (/^(import|export) /.test(body)) return [code];
  if (/^'?(rest-cache|redis)'?:/.test(body)) return [asPlugins(body)];
  if (body.startsWith('{')) return [asConfig(`strategy: { contentTypes: [\n${body}\n] }`)];
  const around = AROUND[/^\w+(?=:)/.exec(body)?.[0] ?? ''];
  if (around !== undefined) return alternatives(body).map((options) => asConfig(around(`\n${options}\n`)));
  return [`export default async () => {\n${body}\n};`];
};

/** Files to copy, such as those for Nuxt. */
const examples = readdirSync(path.join(ROOT, 'docs/examples'))
  // tests/unit/providers/file-provider.test.ts runs this one.
  .filter((name) => name.endsWith('.ts') && name !== 'file-provider.ts')
  .map((name) => ({
    place: `docs/examples/${name}`,
    language: 'ts',
    code: readFileSync(path.join(ROOT, 'docs/examples', name), 'utf8'),
  }));

const samples = [...blocksIn('ts', 'js'), ...examples].flatMap((block) =>
  modulesOf(block).map((code, index) => ({
    place: index === 0 ? block.place : `${block.place}, alternative ${index + 1}`,
    file: path.join(FOLDER, `${block.place.replace(/\W/g, '-')}-${index}.ts`),
    code,
  })),
);
const configurations = samples.filter(({ code }) => /'rest-cache': \{/.test(code));

const OF_NEXT = `declare module 'next/cache' {
  const cacheLife: (profile: string | { stale?: number; revalidate?: number; expire?: number }) => void;
  const cacheTag: (...tags: string[]) => void;
  const revalidateTag: (tag: string, profile: string | { expire?: number }) => void;
}`;

const OF_NUXT = `declare module '#imports' {
  interface Storage<T> {
    getItem(name: string): Promise<T | null>;
    setItem(name: string, item: T): Promise<void>;
    removeItem(name: string): Promise<void>;
    getKeys(): Promise<string[]>;
  }
  interface H3Event {
    readonly path: string;
  }
  const useStorage: <T>(name: string) => Storage<T>;
  const createError: (error: { statusCode: number }) => Error;
  const defineEventHandler: <T>(handler: (event: H3Event) => T) => typeof handler;
  const forgetFromStrapi: (purged: ReadonlySet<string>) => Promise<void>;
  const getHeader: (event: H3Event, name: string) => string | undefined;
  const readRawBody: (event: H3Event) => Promise<string | undefined>;
  const sendNoContent: (event: H3Event) => void;
}`;

describe('blocks of TypeScript and JavaScript in the documentation', () => {
  it('compile', () => {
    const sources = new Map(samples.map(({ file, code }) => [file, code]));
    // The page shows a file of the repository; tests/unit/providers/file-provider.test.ts compares the two.
    const example = samples.find(({ code }) => code.includes('class FileProvider'));
    if (example !== undefined) sources.delete(example.file);
    sources.set(path.join(FOLDER, 'surroundings.ts'), SURROUNDINGS);
    sources.set(path.join(FOLDER, 'next.d.ts'), OF_NEXT);
    sources.set(path.join(FOLDER, 'nuxt.d.ts'), OF_NUXT);
    sources.set(path.join(FOLDER, 'file-provider.ts'), "export * from '../../docs/examples/file-provider';");

    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: ['node'],
      skipLibCheck: true,
      noEmit: true,
      // As in the tsconfig.json of a new Strapi application.
      strict: true,
      paths: {
        [PACKAGE]: [path.join(ROOT, 'server/src/config/define-config.ts')],
        [`${PACKAGE}/provider-suite`]: [path.join(ROOT, 'provider-suite/index.ts')],
      },
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (file) => sources.has(file) || fileExists(file);
    host.readFile = (file) => sources.get(file) ?? readFile(file);
    host.getSourceFile = (file, target, ...rest) => {
      const code = sources.get(file);
      return code === undefined ? getSourceFile(file, target, ...rest) : ts.createSourceFile(file, code, target);
    };
    const program = ts.createProgram([...sources.keys()], options, host);
    const errors = samples.flatMap(({ place, file }) => {
      const source = program.getSourceFile(file);
      if (source === undefined) return [];
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    });
    expect(errors).toEqual([]);
  });

  const facts = application();
  const types = ['order', 'comment', 'page', 'tag'];
  const plugins = {
    navigation: ['/api/navigation', '/api/navigation/render/:idOrSlug'],
    comments: ['/api/comments/:relation', '/api/comments/:relation/flat'],
  };
  const collection = { kind: 'collectionType', attributes: {} };
  const blog = application({
    isGraphqlInstalled: true,
    contentTypes: {
      ...facts.contentTypes,
      ...Object.fromEntries(types.map((name) => [`api::${name}.${name}`, collection])),
      'plugin::navigation.navigation': collection,
      'plugin::comments.comment': collection,
    },
    routes: [
      ...facts.routes,
      ...types.flatMap((name) => [
        get(`/api/${name}s`, `api::${name}.${name}.find`, { apiName: name }),
        get(`/api/${name}s/:id`, `api::${name}.${name}.findOne`, { apiName: name }),
      ]),
      ...Object.entries(plugins).flatMap(([pluginName, paths]) =>
        paths.map((path, index) => get(path, `plugin::${pluginName}.client.read${index}`, { pluginName })),
      ),
    ],
  });
  const methods = 'lookup knownSequence store announce invalidate delete entries usage clear health close'.split(' ');
  class MyProvider {
    readonly name = 'mine';
    constructor() {
      for (const method of methods) Object.assign(this, { [method]: () => undefined });
    }
  }

  /** The configuration that a module exports, with `redis://cache:6379` as the value of every environment variable. */
  const configurationOf = (code: string): unknown => {
    const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
    const module: { exports: { default?: unknown } } = { exports: {} };
    const required = { defineConfig: (written: unknown) => written };
    const run = compileFunction(outputText, ['exports', 'require', 'MyProvider', 'password']);
    run(module.exports, () => required, MyProvider, 'secret');
    const plugins = module.exports.default as (given: object) => { 'rest-cache': { config: unknown } };
    return plugins({ env: () => 'redis://cache:6379' })['rest-cache'].config;
  };

  it.each(configurations)('boot: $place', ({ code }) => {
    const { warnings } = resolveConfig(configurationOf(code), blog);
    expect(warnings.filter((warning) => isUnsafe(warning) || /no route|no effect/.test(warning.text))).toEqual([]);
  });

  it('are found', () => {
    expect(configurations.length).toBeGreaterThan(25);
  });
});
