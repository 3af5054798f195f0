import { getOperationAST, parse } from 'graphql';
import { expect, it } from 'vitest';
import { Operation } from '../../../server/src/graphql/operation';

const learned = (query: string): Operation => {
  const document = parse(query);
  const operation = new Operation('/graphql', new Set());
  const asked = getOperationAST(document);
  if (asked) operation.learn(asked, document.definitions);
  return operation;
};

it('an operation is shown with its root fields, each once, also those of fragments', () => {
  const { line, never } = learned(`
    query Home { shown: articles { title } ...Rest ... on Query { articles { slug } } }
    fragment Rest on Query { homepage { title } ...Rest }`);
  expect([line, never]).toEqual(['/graphql Home { articles, homepage }', undefined]);
});

it('introspection is found behind fragments', () => {
  const { never } = learned('{ articles { title } ...X } fragment X on Query { ... { __schema { description } } }');
  expect(never?.detail).toBe('introspection');
});

it('each fragment is looked at once, however often others name it', () => {
  const fragments = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);
  const { line } = learned(`{ ...F0 } ${fragments.join(' ')} fragment F40 on Query { articles { title } }`);
  expect(line).toBe('/graphql { articles }');
});
