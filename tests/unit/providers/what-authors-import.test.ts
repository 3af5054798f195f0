import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const EXAMPLE = path.join(ROOT, 'docs/examples/file-provider.ts');
const PACKAGE = path.join(ROOT, 'server/src/config/define-config.ts');

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
const exported = entry === undefined ? [] : checker.getExportsOfModule(entry);
const names = exported.map(({ name }) => name);

/** What a name means, wherever it was imported from. */
const meaningOf = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** The project's own interfaces that the members of a declaration name. */
const interfacesIn = (node: ts.Node): string[] => {
  if (ts.isHeritageClause(node)) return [];
  const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
  const { name = '', declarations = [] } = (symbol && meaningOf(symbol)) ?? {};
  const isOwn = declarations.some((each) => ts.isInterfaceDeclaration(each) && !each.getSourceFile().isDeclarationFile);
  const inside: string[] = [];
  ts.forEachChild(node, (child) => void inside.push(...interfacesIn(child)));
  return isOwn ? [name, ...inside] : inside;
};

it('the package exports whatever the documented provider imports from its sources', () => {
  const imported = sourceOf(EXAMPLE)
    .statements.filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.startsWith('.'))
    .flatMap(({ importClause }) => {
      const bindings = importClause?.namedBindings;
      return bindings !== undefined && ts.isNamedImports(bindings)
        ? bindings.elements.map(({ name }) => name.text)
        : [];
    });
  expect(imported).toContain('Provider');
  expect(imported.filter((name) => !names.includes(name))).toEqual([]);
});

it('the package exports every interface that the exported ones name: of options, and of the contract', () => {
  const named = exported.flatMap((each) => (meaningOf(each).declarations ?? []).flatMap(interfacesIn));
  expect(named).toContain('SharedCounters');
  expect([...new Set(named)].filter((name) => !names.includes(name)).sort()).toEqual([]);
});
