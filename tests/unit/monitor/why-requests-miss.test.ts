import { beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { tag } from '../../../server/src/cache/tag';
import { Activity } from '../../../server/src/monitor/activity';
import type { Actor } from '../../../server/src/monitor/actor';
import { MAX_REMEMBERED } from '../../../server/src/monitor/remembered-keys';
import { anEntry } from './route';

const KEY = '/api/articles?sort=title&&' as CacheKey;
const KIM: Actor = { kind: 'admin', id: 1, name: 'Kim Doe' };

let now: number;
let number: number;
let actor: Actor;
let activity: Activity;

beforeEach(() => {
  now = 1000;
  number = 0;
  actor = { kind: 'application' };
  activity = new Activity({
    clock: { now: () => milliseconds(now) },
    currentActor: () => actor,
    countsSwept: () => true,
  });
});

const entryNow = (key: string = KEY): Entry =>
  anEntry({ key, tags: ['*', 'articles#1'], sequence: number, createdAt: now });
/** A miss: the reason why there was no entry. */
const miss = (key: string = KEY) => activity.stored(entryNow(key));
const write = (name: string): void => activity.wrote([tag(name)], sequence((number += 1)));

describe('a request misses', () => {
  it('because it is the first for its URL', () => {
    expect(miss()).toEqual({ code: 'first', detail: '' });
  });

  it.each([true, false])('because the entry expired, whether the store reports that (%s)', (isReported) => {
    miss();
    const old = entryNow();
    now += 60_000;
    if (isReported) activity.swept(old);
    expect(miss()).toEqual({ code: 'expired', detail: '' });
  });

  it.each([true, false])('because of a write to a table, whether the store reports that (%s)', (isReported) => {
    miss();
    const old = entryNow();
    write('articles#2');
    write('articles#1');
    if (isReported) activity.swept(old);
    expect(miss()).toEqual({ code: 'write', detail: 'articles' });
    // The write concerned the entry before, not this one.
    now += 60_000;
    expect(miss()).toEqual({ code: 'expired', detail: '' });
  });

  it('because of a request that wrote to the same path, elsewhere than in the database', () => {
    activity.stored(anEntry({ key: KEY, tags: ['type:/api/weather'], sequence: number, createdAt: now }));
    write('type:/api/weather');
    expect(
      activity.stored(anEntry({ key: KEY, tags: ['type:/api/weather'], sequence: number, createdAt: now })),
    ).toEqual({ code: 'write', detail: '/api/weather' });
  });

  it('because of a write of another process', () => {
    miss();
    now += 1;
    activity.wroteElsewhere([tag('articles#1')]);
    expect(miss()).toEqual({ code: 'write', detail: 'articles' });
  });

  it('because somebody purged everything, or this entry alone', () => {
    actor = KIM;
    miss();
    activity.purged({ kind: 'everything' }, [tag('*')], sequence((number += 1)), 1);
    expect(miss()).toEqual({ code: 'purge', detail: 'admin:Kim Doe' });
    activity.purged({ kind: 'entry', url: '/api/articles' }, [], undefined, 1, [KEY]);
    expect(miss()).toEqual({ code: 'purge', detail: 'admin:Kim Doe' });
  });

  it('because the entry was evicted, or left a store that does not say how', () => {
    miss();
    activity.evicted([KEY]);
    expect(miss()).toEqual({ code: 'evicted', detail: '' });
    expect(miss()).toEqual({ code: 'gone', detail: '' });
  });

  it('because the response before it was not stored', () => {
    activity.refused(KEY, { code: 'cookie', detail: 'Set-Cookie' });
    expect(miss()).toEqual({ code: 'unkept', detail: '' });
  });

  it.each<[string, readonly string[], string | undefined]>([
    ['a tracking parameter', ['sort=title', 'sort=title&utm_source=a'], 'utm_source'],
    ['a tracking parameter with another value', ['sort=title&utm_source=a', 'sort=title&utm_source=b'], 'utm_source'],
    ['two together', ['sort=title&_=1&ts=2', 'sort=title&_=3&ts=4'], '_, ts'],
    ['a parameter of Strapi', ['pagination[page]=1&sort=title', 'pagination[page]=2&sort=title'], 'pagination'],
    ['more than one thing', ['sort=title&utm_source=a', 'sort=slug&utm_source=b'], undefined],
  ])('because of a new value of %s', (_what, queries, detail) => {
    const reasons = queries.map((query) => miss(`/api/articles?${query}&&`));
    expect(reasons.at(-1)).toEqual(
      detail === undefined ? { code: 'first', detail: '' } : { code: 'new-value', detail },
    );
  });

  it('whatever a parameter is called', () => {
    expect(miss('/api/articles?%ud800=1&a%26b=1&&')).toEqual({ code: 'first', detail: '' });
    expect(miss('/api/articles?%ud800=1&a%26b=2&&')).toEqual({ code: 'new-value', detail: 'a&b' });
  });
});

it('so many keys are remembered and no more', () => {
  activity.refused(KEY, { code: 'cookie', detail: 'Set-Cookie' });
  for (let index = 1; index < MAX_REMEMBERED; index += 1) activity.evicted([`key ${index}` as CacheKey]);
  expect(activity.absenceOf(KEY)).toMatchObject({ cause: 'refused' });
  // It has been looked at, so another one goes first.
  activity.evicted(['one more' as CacheKey]);
  expect(activity.absenceOf('key 1' as CacheKey)).toBeUndefined();
  expect(activity.absenceOf('key 2' as CacheKey)).toMatchObject({ cause: 'evicted' });
});

it('what a purge or write was is known as long as it is listed, and how the entry left even longer', () => {
  miss();
  const old = entryNow();
  write('articles#1');
  activity.swept(old);
  const absence = activity.absenceOf(KEY);
  expect(activity.recordOf(absence)).toMatchObject({ id: 1 });
  for (let index = 0; index < 300; index += 1) write('other');
  expect(activity.recordOf(absence)).toBeUndefined();
  expect(activity.absenceOf(KEY)).toMatchObject({ cause: 'write', detail: 'articles' });
});
