import { beforeEach, describe, expect, it } from 'vitest';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { tag } from '../../../server/src/cache/tag';
import { Activity } from '../../../server/src/monitor/activity';
import { anEntry } from './route';

let now: number;
let number: number;
let activity: Activity;

const create = (countsSwept: boolean): Activity =>
  new Activity({
    clock: { now: () => milliseconds(now) },
    currentActor: () => ({ kind: 'application' }),
    countsSwept: () => countsSwept,
  });

beforeEach(() => {
  now = 1000;
  number = 0;
  activity = create(true);
});

const write = (...tags: string[]): void => activity.wrote(tags.map(tag), sequence((number += 1)));
const removed = (): Array<number | undefined> => activity.records().map(({ entries }) => entries);

describe('an entry that was freed', () => {
  it('is counted for the first write that concerned it, not for later ones', () => {
    write('articles#1');
    write('articles#1');
    activity.swept(anEntry({ tags: ['articles#1'], sequence: 0 }));
    expect(removed()).toEqual([0, 1]);
  });

  it('is not counted for writes that were stamped before it was computed', () => {
    write('articles#1');
    write('articles#1');
    activity.swept(anEntry({ tags: ['articles#1'], sequence: 1 }));
    expect(removed()).toEqual([1, 0]);
  });

  it('is not counted for a write after its maxAge, beyond which it was only kept', () => {
    const entry = anEntry({ key: 'kept', tags: ['articles#1'], createdAt: now });
    now += entry.maxAge;
    write('articles#1');
    activity.swept(entry);
    expect(removed()).toEqual([0]);
    expect(activity.absenceOf('kept' as CacheKey)?.cause).toBe('expired');
  });

  it('is remembered by its key, with what removed it', () => {
    write('articles#1');
    activity.swept(anEntry({ key: 'changed', tags: ['articles#1'] }));
    now += 100_000;
    activity.swept(anEntry({ key: 'old' }));
    activity.evicted(['pushed out' as CacheKey]);
    expect(activity.absenceOf('changed' as CacheKey)).toMatchObject({
      cause: 'write',
      at: 1000,
      record: 1,
      detail: 'articles',
    });
    expect(activity.absenceOf('old' as CacheKey)).toEqual({ cause: 'expired', at: now });
    expect(activity.absenceOf('pushed out' as CacheKey)).toEqual({ cause: 'evicted', at: now });
    expect(activity.absenceOf('never there' as CacheKey)).toBeUndefined();
  });
});

describe('a purge', () => {
  it('that was counted when it was made is not counted again', () => {
    activity.purged({ kind: 'everything' }, [tag('*')], sequence(1), 7);
    activity.swept(anEntry({ tags: ['*'] }));
    expect(removed()).toEqual([7]);
  });

  it('is not pushed out by writes', () => {
    activity.purged({ kind: 'everything' }, [tag('*')], sequence((number += 1)), 7);
    for (let index = 0; index < 1000; index += 1) write('articles#1');
    const records = activity.records();
    expect(records).toHaveLength(201);
    expect(records.at(-1)?.purged).toEqual({ kind: 'everything' });
  });
});

it('still finds what killed an entry after many writes were forgotten', () => {
  for (let index = 0; index < 1000; index += 1) {
    write(`articles#${index}`);
    activity.swept(anEntry({ tags: [`articles#${index}`], sequence: number - 1 }));
  }
  expect(removed()).toEqual(Array.from({ length: 200 }, () => 1));
});

it('keeps few tags of a write that stamped thousands', () => {
  write(...Array.from({ length: 20_000 }, (_, index) => `articles#${index}`));
  expect(activity.records()[0]?.tags).toHaveLength(300);
});

it('claims no numbers where the store does not tell what it frees', () => {
  activity = create(false);
  write('articles#1');
  activity.wroteElsewhere(undefined);
  expect(removed()).toEqual([undefined, undefined]);
  expect(activity.records()[0]).toMatchObject({ actor: { kind: 'other-instance' }, tags: ['*'] });
});
