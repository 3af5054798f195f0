import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const EXAMPLE = path.join(ROOT, 'docs/examples/file-provider.ts');
const PACKAGE = path.join(ROOT, 'server/src/config/define-config.ts');

it('the package exports whatever the documented provider imports from its sources', () => {
  const program = ts.createProgram([PACKAGE, EXAMPLE], {
    noLib: true,
    types: [],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  });
  const checker = program.getTypeChecker();
  const sourceOf = (file: string): ts.SourceFile => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is not there`);
    return source;
  };
  const entry = checker.getSymbolAtLocation(sourceOf(PACKAGE));
  const exported = entry === undefined ? [] : checker.getExportsOfModule(entry).map(({ name }) => name);
  const imported = sourceOf(EXAMPLE)
    .statements.filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.startsWith('.'))
    .flatMap(({ importClause }) => {
      const names = importClause?.namedBindings;
      return names !== undefined && ts.isNamedImports(names) ? names.elements.map(({ name }) => name.text) : [];
    });
  expect(imported).toContain('Provider');
  expect(imported.filter((name) => !exported.includes(name))).toEqual([]);
});
