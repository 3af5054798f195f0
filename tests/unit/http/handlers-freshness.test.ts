import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { ageCountsFrom, ageHeader, isNotModified, timeToLive } from '../../../server/src/http/stored-response';
import { directivesOf, httpDate } from '../../../server/src/http/field-values';
import { lifetimeOf } from '../../../server/src/http/handlers-freshness';
import { anEntry } from '../monitor/route';

const NOW = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');
const IN_A_MINUTE = 'Sun, 06 Nov 1994 08:50:37 GMT';
const CONFIGURED = 3_600_000;

/** The lifetime in milliseconds, or the reason why the response is not stored. */
const lifetime = (lines: readonly string[], hasTags: boolean): number | string => {
  const headers = lines.map((line) => /^([^:]*): (.*)$/.exec(line)?.slice(1) as [string, string]);
  const told = lifetimeOf({ headers }, { maxAge: milliseconds(CONFIGURED), now: milliseconds(NOW), hasTags });
  return 'unstorable' in told ? told.unstorable.detail : told.maxAge;
};
const kept = (...lines: string[]): number | string => lifetime(lines, true);
const keptWithoutTags = (line: string): number | string => lifetime([line], false);

const STALE = 'stale by its own headers';
/**
 * Each hit checks the tags of its entry, so a response without a lifetime of its own may be stored for as long as
 * configured.
 */
const VALIDATED = CONFIGURED;

describe('how long a response is kept by what its handler says', () => {
  it.each(['Cache-Control: max-age=0, must-revalidate', 'Expires: 0'])(
    '%s is not kept where there are no tags to ask',
    (line) => {
      expect(keptWithoutTags(line)).toContain('nothing was read to ask again');
      expect(kept(line)).toBe(CONFIGURED);
    },
  );

  it.each<[lines: string[], expected: number | string]>([
    [[], CONFIGURED],
    [['X-Other: max-age=1'], CONFIGURED],
    [['Cache-Control: public'], CONFIGURED],
    [['Cache-Control: max-age=60'], 60_000],
    [['cache-control: MAX-AGE=60, must-revalidate'], 60_000],
    [['Cache-Control: max-age="60"'], 60_000],
    [['Cache-Control: extension="max-age=0, s-maxage=0", max-age=60'], 60_000],
    [['Cache-Control: max-age=99999999999999999999'], CONFIGURED],
    [['Cache-Control: max-age=7200'], CONFIGURED],
    [['Cache-Control: max-age=0'], VALIDATED],
    [['Cache-Control: max-age=-60'], VALIDATED],
    [['Cache-Control: max-age=1.5'], VALIDATED],
    [['Cache-Control: max-age'], VALIDATED],
    [['Cache-Control: max-age =60'], VALIDATED],
    [['Cache-Control: max-age=60, max-age=30'], 30_000],
    [['Cache-Control: max-age=60', 'Cache-Control: max-age=30'], 30_000],
    [['Cache-Control: max-age=0, s-maxage=60'], 60_000],
    [['Cache-Control: s-maxage=0, max-age=60'], VALIDATED],
    [['Cache-Control: max-age=0', 'CDN-Cache-Control: max-age=60'], 60_000],
    [['Cache-Control: max-age=60', 'CDN-Cache-Control: max-age=0'], VALIDATED],
    [['CDN-Cache-Control: max-age=60;ext', 'Surrogate-Control: max-age=30'], 30_000],
    [['Surrogate-Control: content="ESI/1.0"', 'Cache-Control: max-age=60'], 60_000],
    [[`Expires: ${IN_A_MINUTE}`], 60_000],
    [[`Expires: ${IN_A_MINUTE}`, 'Date: Sun, 06 Nov 1994 08:49:47 GMT'], 50_000],
    [[`Expires: ${IN_A_MINUTE}`, 'Cache-Control: max-age=0'], VALIDATED],
    [['Expires: 0', 'Cache-Control: max-age=60'], 60_000],
    [['Expires: 0'], VALIDATED],
    [['Expires: Sun, 06 Nov 1994 08:49:37 GMT'], VALIDATED],
    [['Age: 45', 'Cache-Control: max-age=60'], 15_000],
    [['Age: 60', 'Cache-Control: max-age=60'], STALE],
    [['Age: old', 'Cache-Control: max-age=60'], 60_000],
    [['Age: 45'], CONFIGURED],
    [['Date: Sun, 06 Nov 1994 08:49:07 GMT', 'Cache-Control: max-age=60'], 30_000],
  ])('%j: %s (RFC 9111, 4.2)', (lines, expected) => {
    expect(kept(...lines)).toBe(expected);
  });

  it.each(['Cache-Control', 'CDN-Cache-Control', 'Surrogate-Control'])(
    '%s: no-cache is kept where the database can be asked about it, and not otherwise (RFC 9111, 5.2.2.4)',
    (name) => {
      expect(kept(`${name}: no-cache`)).toBe(CONFIGURED);
      expect(kept(`${name}: max-age=60, no-cache="X-A, X-B"`)).toBe(60_000);
      expect(keptWithoutTags(`${name}: no-cache`)).toMatch(/^no-cache, and nothing was read/);
    },
  );
});

it.each([
  ['', []],
  ['a, B=1 ,c="x, y=2"', ['a', 'b = 1', 'c = x, y=2']],
  ['a="\\"b, c", d', ['a = \\"b, c', 'd']],
  ['private="X-A, no-store', ['private = "X-A', 'no-store']],
  ['max-age=1; no-store', ['max-age = 1', 'no-store']],
])('directives of %j (RFC 9111, 5.2)', (field, expected) => {
  const told = directivesOf(field).map(([name, value]) => (value === undefined ? name : `${name} = ${value}`));
  expect(told).toEqual(expected);
});

const nextDecade = new Date().getUTCFullYear() + 10;

it.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', NOW],
  ['sun, 06 nov 1994 08:49:37 gmt', NOW],
  ['Sunday, 06-Nov-94 08:49:37 GMT', NOW],
  ['Sun Nov  6 08:49:37 1994', NOW],
  [`Monday, 01-Jan-${nextDecade % 100} 00:00:00 GMT`, Date.UTC(nextDecade, 0)],
  ['Sun, 06 Nov 1994 08:49:37', undefined],
  ['Sun, 06 Non 1994 08:49:37 GMT', undefined],
  ['Sun, 06 Nov 1994 08:49:37 +0100', undefined],
  ['Sun, 06 Nov 1994 25:49:37 GMT', undefined],
  ['1994-11-06T08:49:37Z', undefined],
  ['0', undefined],
  ['', undefined],
  [undefined, undefined],
])('HTTP date %j (RFC 9110, 5.6.7)', (text, expected) => {
  expect(httpDate(text)).toBe(expected);
});

describe('Age', () => {
  const entry = anEntry({ createdAt: NOW, maxAge: 60_000 });
  const age = (after: number, told: number | undefined, of = entry): number =>
    Number(ageHeader(of, milliseconds(NOW + after), told === undefined ? undefined : milliseconds(told)));

  it('counts from the check of the tags: other caches are left the max age they are told, or what is left here', () => {
    for (const told of [0, 5000, 30_000, 60_000])
      for (let after = 0; after < 60_000; after += 5000) {
        const left = timeToLive(entry, milliseconds(NOW + after)) / 1000;
        expect(told / 1000 - age(after, told)).toBe(Math.min(told / 1000, left));
      }
  });

  it('is never more than the time since the entry was made', () => {
    expect(ageCountsFrom(entry, milliseconds(600_000))).toBe(NOW);
    expect(age(20_000, 600_000)).toBe(20);
  });

  it("counts from when the entry was made where the handler says how long, on top of the handler's own", () => {
    expect(age(20_000, undefined)).toBe(20);
    expect(age(20_000, undefined, anEntry({ createdAt: NOW, maxAge: 60_000, headers: [['age', '7']] }))).toBe(27);
  });
});

describe('a client that asks since when', () => {
  const validators = { etag: '"a"', lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT' };

  it.each([
    [{ 'if-modified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' }, true],
    [{ 'if-modified-since': IN_A_MINUTE }, true],
    [{ 'if-modified-since': 'Sunday, 06-Nov-94 08:49:37 GMT' }, true],
    [{ 'if-modified-since': 'Sun, 06 Nov 1994 08:49:36 GMT' }, false],
    [{ 'if-modified-since': 'yesterday' }, false],
    [{ 'if-none-match': '"a"', 'if-modified-since': 'Sun, 06 Nov 1994 08:49:36 GMT' }, true],
    [{ 'if-none-match': '"b"', 'if-modified-since': IN_A_MINUTE }, false],
    [{ 'if-none-match': '', 'if-modified-since': IN_A_MINUTE }, false],
    [{}, false],
  ])('%j: %s (RFC 9110, 13.2.2)', (asked, expected) => {
    expect(isNotModified(asked, validators)).toBe(expected);
  });

  it('is given all of it where the handler has not said since when', () => {
    const asked = { 'if-modified-since': IN_A_MINUTE };
    expect(isNotModified(asked, { etag: '"a"', lastModified: undefined })).toBe(false);
    expect(isNotModified({ ...asked, 'if-none-match': '"a"' }, { ...validators, etag: undefined })).toBe(false);
  });
});
