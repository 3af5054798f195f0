import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const FOLDER = path.resolve(import.meta.dirname, '../../types');
const FILE = path.join(FOLDER, 'being-written.ts');
const IMPORT = "import { defineConfig } from '../../server/src/config/define-config';\n";

/** The text of the file that is being edited; `|` is the cursor. */
let written = { text: '', version: 0 };

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(path.join(FOLDER, 'tsconfig.json'), (file) => ts.sys.readFile(file)).config,
  ts.sys,
  FOLDER,
);

const editor = ts.createLanguageService({
  directoryExists: (folder) => ts.sys.directoryExists(folder),
  realpath: (file) => ts.sys.realpath?.(file) ?? file,
  getCompilationSettings: () => options,
  getCurrentDirectory: () => FOLDER,
  getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  getScriptFileNames: () => [FILE, path.join(FOLDER, 'generated.d.ts')],
  getScriptVersion: (file) => (file === FILE ? String(written.version) : '0'),
  getScriptSnapshot: (file) => {
    const text = file === FILE ? written.text : ts.sys.readFile(file);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  fileExists: (file) => file === FILE || ts.sys.fileExists(file),
  readFile: (file) => (file === FILE ? written.text : ts.sys.readFile(file)),
});

const write = (configuration: string): number => {
  const text = `${IMPORT}export default defineConfig(${configuration});\n`;
  const cursor = text.indexOf('|');
  written = { text: text.replace('|', ''), version: written.version + 1 };
  return cursor;
};

const completionsOf = (configuration: string): string[] =>
  (editor.getCompletionsAtPosition(FILE, write(configuration), {})?.entries ?? []).map(({ name }) => name);

describe('what an editor completes', () => {
  it("are the uids of the application's content types", () => {
    const uids = ['api::article.article', 'api::homepage.homepage', 'plugin::upload.file'];
    expect(completionsOf("{ strategy: { contentTypes: ['|'] } }")).toEqual(expect.arrayContaining(uids));
    expect(completionsOf("{ strategy: { contentTypes: ['|'] } }")).toEqual(
      expect.arrayContaining(['*', '!api::article.article']),
    );
    expect(completionsOf("{ strategy: { contentTypes: '|' } }")).toEqual(['*']);
    expect(completionsOf("{ strategy: { contentTypes: [{ contentType: '|' }] } }")).toEqual(
      expect.arrayContaining(uids),
    );
  });

  it('are the core routes of its collection and single types', () => {
    const paths = ['/api/articles', '/api/articles/:id', '/api/homepage'];
    const routes = (route: string): string =>
      `{ strategy: { contentTypes: [{ contentType: 'api::article.article', routes: [${route}] }] } }`;
    expect(completionsOf(routes("'|'")).sort()).toEqual(paths);
    expect(completionsOf(routes("{ path: '|' }")).sort()).toEqual(paths);
  });

  it('are the names of providers, and the options of the one that is named', () => {
    expect(completionsOf("{ provider: { name: '|' } }")).toEqual(expect.arrayContaining(['memory', 'redis']));
    const memory = completionsOf("{ provider: { name: 'memory', options: { | } } }");
    expect(memory).toContain('maxBytes');
    expect(memory).not.toContain('connection');
    const redis = completionsOf("{ provider: { name: 'redis', options: { | } } }");
    expect(redis).toEqual(expect.arrayContaining(['connection', 'cluster', 'localCache', 'host']));
  });
});

describe('what an editor shows of each option', () => {
  const folder = path.resolve(import.meta.dirname, '../../../server/src/config');
  const program = ts.createProgram(
    ['user-config.ts', 'provider-options.ts'].map((name) => path.join(folder, name)),
    options,
  );
  const members = ['user-config.ts', 'provider-options.ts'].flatMap((name) => {
    const source = program.getSourceFile(path.join(folder, name));
    return (source?.statements ?? []).flatMap((statement) =>
      ts.isInterfaceDeclaration(statement) && statement.name.text !== 'ProviderOptionsByName'
        ? statement.members.map((member) => ({
            name: `${statement.name.text}.${member.name?.getText(source) ?? ''}`,
            symbol: member.name === undefined ? undefined : program.getTypeChecker().getSymbolAtLocation(member.name),
            optional: ts.isPropertySignature(member) && member.questionToken !== undefined,
          }))
        : [],
    );
  });

  it('is what it does', () => {
    const silent = members.filter(({ symbol }) => {
      const tags = symbol?.getJsDocTags().map(({ name }) => name) ?? [];
      const text = ts.displayPartsToString(symbol?.getDocumentationComment(program.getTypeChecker()));
      return text === '' && !tags.includes('deprecated');
    });
    expect(members.length).toBeGreaterThan(50);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('is its default', () => {
    const undecided = members.filter(
      ({ symbol, optional }) =>
        optional && symbol?.getJsDocTags().every(({ name, text }) => name !== 'default' || text === undefined),
    );
    expect(undecided.map(({ name }) => name)).toEqual([]);
  });
});
