import { describe, expect, it } from 'vitest';
import { niceMaximum, stackBars } from '../../../admin/src/components/chart-bars';
import { inByteUnits } from '../../../admin/src/format/byte-units';
import { inDurationUnits } from '../../../admin/src/format/duration-units';
import { hitRatio } from '../../../admin/src/format/hit-ratio';
import { callerFromText, callerToText, explainLink } from '../../../admin/src/pages/links';
import { parseHeaders } from '../../../admin/src/pages/parse-headers';

it.each([
  [0, '0 millisecond'],
  [999, '999 millisecond'],
  [1500, '1.5 second'],
  [60_000, '1 minute'],
  [3_599_999, '59 minute, 59 second'],
  [90_000_000, '1 day, 1 hour'],
])('a duration of %i ms stands in its largest unit, with what remains in the next: %s', (duration, expected) => {
  expect(
    inDurationUnits(duration)
      .map(({ amount, unit }) => `${amount} ${unit}`)
      .join(', '),
  ).toBe(expected);
});

it.each([
  [0, { amount: 0, unit: 'byte' }],
  [999, { amount: 999, unit: 'byte' }],
  [1_500_000, { amount: 1.5, unit: 'megabyte' }],
  [5e13, { amount: 50_000, unit: 'gigabyte' }],
])('a size of %d bytes stands in its largest unit', (bytes, expected) => {
  expect(inByteUnits(bytes)).toEqual(expected);
});

describe('the hit ratio', () => {
  it('leaves out what did not ask the cache, and is none where nothing did', () => {
    expect(hitRatio({ hit: 3, miss: 1 })).toBe(0.75);
    expect(hitRatio({ hit: 0, miss: 0 })).toBeNull();
  });
});

describe('the chart', () => {
  it('ends its axis at a round number with a whole half', () => {
    expect([0, 4, 5, 11, 240, 999].map(niceMaximum)).toEqual([4, 4, 6, 20, 400, 1000]);
  });

  it('stacks hits, misses and bypasses on each other', () => {
    expect(stackBars([{ hit: 2, miss: 0, hitpass: 1 }], 4)).toEqual([
      [
        { outcome: 'hit', from: 0, height: 0.5 },
        { outcome: 'hitpass', from: 0.5, height: 0.25 },
      ],
    ]);
  });
});

describe('questions to explain', () => {
  it('keep the caller in the URL', () => {
    for (const caller of [{ kind: 'anonymous' }, { kind: 'user', id: '7' }, { kind: 'token', id: '3' }] as const) {
      expect(callerFromText(callerToText(caller))).toEqual(caller);
    }
    expect(callerFromText('user:')).toEqual({ kind: 'anonymous' });
    expect(callerFromText(null)).toEqual({ kind: 'anonymous' });
  });

  it('are made of an entry', () => {
    expect(explainLink({ url: '/api/orders?a=b&c=d', identity: 'up:7', member: null })).toBe(
      '/settings/rest-cache/explain?url=%2Fapi%2Forders%3Fa%3Db%26c%3Dd&as=user%3A7',
    );
    const link = (identity: string, member: string | null = null) =>
      explainLink({ url: '/api/tags', identity, member });
    expect(link('token:3:read-only')).toContain('as=token%3A3');
    expect(link('up:public')).toContain('as=anonymous');
    expect(link('role:2', '9')).toContain('as=user%3A9');
    expect(link('role:2')).toContain('as=anonymous');
  });

  it('may have headers, one per line', () => {
    expect(parseHeaders('Accept-Language: fr\n\n X-Key :a:b \nX-Empty:')).toEqual({
      'Accept-Language': 'fr',
      'X-Key': 'a:b',
      'X-Empty': '',
    });
    expect(parseHeaders(' \n')).toEqual({});
  });

  it.each(['Accept-Language: fr\nCookie', 'Authorization Bearer x', ': fr'])(
    'is not asked with the headers %j',
    (text) => {
      expect(parseHeaders(text)).toBeUndefined();
    },
  );
});
