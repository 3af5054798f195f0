import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { both, named, said } from '../../../server/src/cache/sentence';
import { argumentsOf } from './arguments-of';

const SERVER = path.resolve(import.meta.dirname, '../../../server/src');

/** By its code, each sentence that the server's source text makes: `{0} is {1} milliseconds`. */
const sentences = new Map<string, Set<string>>();

const templateOf = ({ template }: ts.TaggedTemplateExpression): string =>
  (ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : template.head.text + template.templateSpans.map(({ literal }, place) => `{${place}}${literal.text}`).join('')
  ).replace(/\n\s*/g, ' ');

const collect = (node: ts.Node): void => {
  if (
    ts.isTaggedTemplateExpression(node) &&
    ts.isCallExpression(node.tag) &&
    node.tag.expression.getText() === 'said'
  ) {
    const [code] = node.tag.arguments;
    if (code === undefined || !ts.isStringLiteral(code)) throw new Error(`a code that is no text: ${node.getText()}`);
    sentences.set(code.text, (sentences.get(code.text) ?? new Set()).add(templateOf(node)));
  }
  ts.forEachChild(node, collect);
};
for (const file of readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')))
  collect(ts.createSourceFile(file, readFileSync(path.join(SERVER, file), 'utf8'), ts.ScriptTarget.Latest, true));

describe('the sentences of the server', () => {
  it('have a code each', () => {
    expect([...sentences].filter(([, texts]) => texts.size > 1)).toEqual([]);
  });

  it('hold their values, in the order of the text, and parts of their own', () => {
    const part = said('part')`a ${'part'}`;
    const { values, text } = said('whole')`${part} of ${['one', 2]},
      and more`;
    expect(text).toBe('a part of one, 2, and more');
    expect(values).toEqual([part, ['one', 2]]);
    expect(both(named('One.'), named('Two.')).text).toBe('One. Two.');
  });
});

describe.each(['fr', 'de', 'es'])('in %s', (language) => {
  const file = path.resolve(import.meta.dirname, `../../../admin/src/translations/sentences.${language}.json`);
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

  it('each sentence of the server has words, and nothing else has', () => {
    expect(Object.keys(texts).sort()).toEqual([...sentences.keys()].sort());
  });

  it('they name nothing that the sentence does not name', () => {
    for (const [code, text] of Object.entries(texts)) {
      const known = [...(sentences.get(code) ?? [])].flatMap((each) =>
        [...each.matchAll(/\{(\d+)\}/g)].map(([, n]) => n),
      );
      const unknown = argumentsOf(text, language).filter((name) => !known.includes(name));
      expect([code, unknown]).toEqual([code, []]);
    }
  });

  it('they are sentences for the panel, with their braces and quotation marks', () => {
    const shown = (code: string, values: readonly string[]) =>
      new IntlMessageFormat(texts[code] ?? '', language).format(Object.fromEntries(values.entries()));
    expect(shown('shared-entry', ['"api::a.a"', 'x'])).toContain('keys: { useAuth: true }');
    expect(shown('or-repeatable', ['x', 'global::log'])).toContain('repeatableMiddlewares: ["global::log"]');
    expect(shown('no-config', [])).toMatch(/^'rest-cache'/);
  });
});
