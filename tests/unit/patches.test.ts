import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

/** docs/internals/patches.md lists every patch and every private property; this finds those in the code. */

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = path.join(ROOT, 'server/src');

const page = readFileSync(path.join(ROOT, 'docs/internals/patches.md'), 'utf8');

/** The rows of a table of the page, without its head. */
const rowsOf = (heading: string): readonly string[] =>
  (page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);

const patchRows = rowsOf('Patches');
const privateRows = rowsOf('Private properties');

interface Found {
  readonly file: string;
  /** The patched object or property as the code names it. */
  readonly target: string;
}

/** What looks like a patch, but changes only objects of the plugin's own. */
const OWN: readonly string[] = [
  'lanes/repeat-authentication.ts: exchange.rememberCaller',
  // Stand-ins, and what they stand for.
  'http/stand-in.ts: shown',
  'http/stand-in.ts: prototype',
  'http/request-reads.ts: shown',
  'http/request-reads.ts: this.#prototype',
  // Called for each of the accessors that are found by name.
  'http/wrap-accessor.ts: prototype',
  // The property `_querycache`.
  'http/parameters-in-front.ts: cache',
  // The class between knex' client and its dialect.
  'observe/knex-seam.ts: observed',
];

const REDEFINING = /^(?:Object|Reflect)\.(?:defineProperty|defineProperties|setPrototypeOf|set)$/;

const isFunction = (node: ts.Node): boolean => {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return true;
  return (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) && isFunction(node.expression);
};

const parsed = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

const nodesOf = (source: ts.SourceFile): readonly ts.Node[] => {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return nodes;
};

const patchesIn = (file: string, text: string): readonly Found[] => {
  const nodes = nodesOf(parsed(file, text));
  const functions = new Set(
    nodes.flatMap((node) =>
      ts.isVariableDeclaration(node) && node.initializer !== undefined && isFunction(node.initializer)
        ? [node.name.getText()]
        : [],
    ),
  );
  const targets = nodes.flatMap((node): string[] => {
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const { left, right } = node;
      const isProperty = ts.isPropertyAccessExpression(left) || ts.isElementAccessExpression(left);
      const isPatch = isProperty && (isFunction(right) || functions.has(right.getText()));
      return isPatch && !left.getText().startsWith('this.') ? [left.getText()] : [];
    }
    if (!ts.isCallExpression(node)) return [];
    const [first, second] = node.arguments;
    if (node.expression.getText() === 'wrapAccessor') return [second?.getText().replaceAll("'", '') ?? ''];
    return REDEFINING.test(node.expression.getText()) ? [first?.getText() ?? ''] : [];
  });
  return [...new Set(targets)].map((target) => ({ file, target }));
};

const PRIVATE = /^_[a-z]\w+$/;

const privateIn = (file: string, text: string): readonly Found[] => {
  const names = nodesOf(parsed(file, text)).flatMap((node): string[] => {
    if (ts.isPropertyAccessExpression(node) || ts.isPropertySignature(node) || ts.isMethodSignature(node))
      return [node.name.getText()];
    if (ts.isBindingElement(node)) {
      const { propertyName, name } = node;
      return ts.isObjectBindingPattern(node.parent) ? [(propertyName ?? name).getText()] : [];
    }
    if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) return [node.name.getText()];
    return ts.isStringLiteral(node) && /^(?:http|lanes|observe)\//.test(file) ? [node.text] : [];
  });
  const found = [...new Set(names)].filter((name) => PRIVATE.test(name));
  if (text.includes('Function.prototype.toString')) found.push('Function.prototype.toString');
  return found.map((target) => ({ file, target }));
};

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => [file, readFileSync(path.join(SOURCES, file), 'utf8')] as const);

const unlisted = (found: readonly Found[], rows: readonly string[]): readonly string[] =>
  found
    .filter(({ file, target }) => !rows.some((row) => row.includes(`\`${file}\``) && row.includes(`\`${target}\``)))
    .map(({ file, target }) => `${file}: ${target}`);

describe('patches of other packages', () => {
  const found = files.flatMap(([file, text]) => patchesIn(file, text));

  it('are listed in the documentation', () => {
    expect(unlisted(found, patchRows).filter((patch) => !OWN.includes(patch))).toEqual([]);
  });

  it('are no more than the documentation lists', () => {
    const stale = patchRows.filter(
      (row) => !found.some(({ file, target }) => row.includes(`\`${file}\``) && row.includes(`\`${target}\``)),
    );
    expect(stale).toEqual([]);
  });

  it('are sixteen at most', () => {
    expect(patchRows.length).toBeGreaterThan(10);
    expect(patchRows.length).toBeLessThanOrEqual(16);
  });

  it('change nothing that the whole process shares', () => {
    expect(
      found.filter(({ target }) => /^(?:global|globalThis|process)\b|^[A-Z]\w*(?:\.prototype)?\b/.test(target)),
    ).toEqual([]);
  });
});

describe('private properties of other packages', () => {
  const found = files.flatMap(([file, text]) => privateIn(file, text));

  it('are listed in the documentation', () => {
    expect(found.length).toBeGreaterThan(10);
    expect(unlisted(found, privateRows)).toEqual([]);
  });
});
