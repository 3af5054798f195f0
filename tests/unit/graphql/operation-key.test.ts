import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationKey } from '../../../server/src/graphql/operation-key';
import type { OperationRequest } from '../../../server/src/graphql/operation-request';
import { numberOfRuns } from '../../number-of-runs';

type Parts = readonly [asked: OperationRequest, headers: ReadonlyArray<readonly [string, string]>, identity: string];

const ASKED: OperationRequest = {
  hash: 'a'.repeat(64),
  operationName: undefined,
  variables: {},
  others: {},
  mediaType: 'application/json; charset=utf-8',
};

const keyOf = (asked: Partial<OperationRequest>, headers: Parts[1] = [], identity = ''): string =>
  operationKey('/graphql', { ...ASKED, ...asked }, headers, identity);

/** Texts that hold what separates the parts of a key. */
const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('', '&', ':document', 'a=1', ',', '?', '%', '[0]', ':null'),
);
const members = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

const parts: fc.Arbitrary<Parts> = fc.tuple(
  fc.record({
    hash: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
    operationName: fc.option(text, { nil: undefined }),
    variables: members,
    others: members,
    mediaType: fc.constantFrom('application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'),
  }),
  fc.array(fc.tuple(fc.constantFrom('accept-language', 'x-tenant'), text), { maxLength: 2 }),
  fc.constantFrom('', 'up:1', 'up:public', 'token:3:custom'),
);

/** The order of top-level names does not count. That of nested names does, and -0 is 0. */
const canonical = ([{ variables, others, ...asked }, headers, identity]: Parts): string => {
  const sorted = (record: object): unknown => Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([asked, asked.operationName ?? null, sorted(variables), sorted(others), headers, identity]);
};

describe('the key of an operation', () => {
  it('is injective, also where a single part differs', () => {
    fc.assert(
      fc.property(parts, parts, members, (one, another, variables) => {
        const [asked, headers, identity] = one;
        for (const other of [another, [{ ...asked, variables }, headers, identity] as const])
          expect(operationKey('/graphql', ...one) === operationKey('/graphql', ...other)).toBe(
            canonical(one) === canonical(other),
          );
      }),
      { numRuns: numberOfRuns(3000) },
    );
  });

  it.each<[what: string, one: Partial<OperationRequest>, other: Partial<OperationRequest>]>([
    ['null and absent', { variables: { a: null } }, { variables: {} }],
    ['a number and its text', { variables: { a: 1 } }, { variables: { a: '1' } }],
    ['the order of nested members', { variables: { a: { x: 1, y: 2 } } }, { variables: { a: { y: 2, x: 1 } } }],
    ['a list and an object', { variables: { a: ['x'] } }, { variables: { a: { 0: 'x' } } }],
    ['an empty and a missing operation name', { operationName: '' }, {}],
    ['a variable and another member', { variables: { a: 1 } }, { others: { a: 1 } }],
    ['long variables', { variables: { a: 'x'.repeat(2000) } }, { variables: { a: `${'x'.repeat(1999)}y` } }],
    ['long variables and their digest', { variables: { a: 'x'.repeat(2000) } }, { variables: {} }],
  ])('tells apart %s', (_what, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('is the same for another order of variables', () => {
    expect(keyOf({ variables: { a: 1, b: [2] } })).toBe(keyOf({ variables: { b: [2], a: 1 } }));
  });

  it('stays short', () => {
    expect(keyOf({ variables: { a: 'x'.repeat(100_000) }, others: { b: 'y'.repeat(100_000) } }).length).toBeLessThan(
      500,
    );
  });
});
