import { expect, it } from 'vitest';
import { because, type Reason } from '../../../server/src/cache/response-cache';
import { said } from '../../../server/src/cache/sentence';
import { reasonName, reasonOf } from '../../../server/src/monitor/reason-counts';

it.each<[what: string, reason: Reason]>([
  ['without anything besides', { code: 'cookie', detail: 'Set-Cookie' }],
  ['with lines and spaces', { code: 'thrown', detail: 'throws My\nError  (418)' }],
  ['about a name', { code: 'thrown', detail: 'throws ValidationError (400)', about: 'ValidationError (400)' }],
  ['about a sentence', because('sources', said('it-read')`it read ${said('table-that')`v, a view`}`)],
])('the name of a reason %s holds all of it, for other processes too', (_what, reason) => {
  expect(reasonOf(reasonName('miss', reason))).toEqual({ kind: 'miss', ...reason });
});

it('no other count is taken for one of a reason', () => {
  expect(reasonOf('missTime')).toBeUndefined();
});

it('the name of another release is read as far as it is understood', () => {
  expect(reasonOf('miss thrown throws x\0{not JSON')).toEqual({ kind: 'miss', code: 'thrown', detail: 'throws x' });
});

it('what is too long to be counted goes, and its English stays', () => {
  const name = reasonName('miss', { code: 'reads', detail: 'reads x', about: 'x'.repeat(2000) });
  expect(name).toBe('miss reads reads x');
});
