import { expect, it } from 'vitest';
import { describeFailure, type QueryFailure } from '../../../admin/src/components/failure';
import { said } from '../../../server/src/cache/sentence';

/** Words of a language that has none but these. */
const vocabulary: Parameters<typeof describeFailure>[1] = {
  words: (id, values = {}) => [id, ...Object.values(values)].join(' '),
  sentence: ({ code, values }) => `said ${[code, ...values.map(String)].join(' ')}`,
};

it.each<[what: string, failure: QueryFailure, expected: string]>([
  ['a refusal', { status: 400, details: { sentence: said('no-url')`${'"x"'} is not a URL` } }, 'said no-url "x"'],
  [
    'a form',
    { status: 400, message: 'The body is {}', details: { errors: [{ path: ['headers', 'a b'] }, { path: ['url'] }] } },
    'failure.invalid headers.a b, url',
  ],
  ['a permission', { status: 403, message: 'Forbidden' }, 'failure.forbidden'],
  ['a store', { status: 503, message: 'The cache store …', details: { reason: 'refused' } }, 'failure.store refused'],
  [
    'what is wrong with a store',
    { status: 503, details: { reason: 'refused', sentence: said('redis-lost')`the connection to Redis was lost` } },
    'failure.store said redis-lost',
  ],
  ['a proxy whose server is away', { status: 503, message: 'Service Unavailable' }, 'failure.unreachable'],
  ['a fault', { status: 500, message: 'Internal Server Error' }, 'failure.internal'],
  ['another status', { status: 409, message: 'Conflict' }, 'failure.other 409 Conflict'],
  ['a page of a proxy', { message: 'Unexpected token < in JSON' }, 'failure.unreachable'],
])('%s is not said in the English of the server', (_what, failure, expected) => {
  expect(describeFailure(failure, vocabulary)).toBe(expected);
});

it('a form that is wrong as a whole has no field that could be named', () => {
  const failure = { status: 400, message: 'The body is {}', details: { errors: [{ path: [] }] } };
  expect(describeFailure(failure, vocabulary)).toBe('failure.other 400 The body is {}');
});
