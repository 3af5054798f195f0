import { beforeEach, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { SharedLists } from '../../../server/src/cache/provider';
import { sequence } from '../../../server/src/cache/sequence';
import { tag } from '../../../server/src/cache/tag';
import { Activity } from '../../../server/src/monitor/activity';

/** Stands for Redis: lists that all instances share and that outlive each of them. */
class Lists implements SharedLists {
  readonly texts = new Map<string, string[]>();
  fault: 'away' | 'late' | undefined;
  longest = 0;

  async add(list: string, texts: readonly string[], limit: number): Promise<void> {
    if (this.fault === 'away') throw new Error('away');
    this.longest = Math.max(this.longest, texts.length);
    this.texts.set(list, [...[...texts].reverse(), ...(this.texts.get(list) ?? [])].slice(0, limit));
    if (this.fault === 'late') throw new Error('it took too long');
  }

  async read(list: string): Promise<string[]> {
    if (this.fault === 'away') throw new Error('away');
    return this.texts.get(list) ?? [];
  }
}

let lists: Lists;
let now: number;
beforeEach(() => {
  lists = new Lists();
  now = 1000;
});

const instance = (name = 'Ada'): Activity =>
  new Activity({
    clock: { now: () => milliseconds(now) },
    currentActor: () => ({ kind: 'admin', name }),
    countsSwept: () => false,
    shared: () => lists,
  });

const write = (activity: Activity, ...tags: string[]): void => {
  now += 1;
  activity.wrote(tags.map(tag), sequence(now));
};
const purge = (activity: Activity, uid: string): void => {
  now += 1;
  activity.purged({ kind: 'content-type', uid, params: { id: 7 } }, [tag('articles')], sequence(now), 3);
};
const tagsOf = async (activity: Activity): Promise<string[]> =>
  (await activity.readAll()).map(({ tags }) => tags.join());

it('an activity is told by one process to another, and to the next one that starts', async () => {
  const one = instance('Ada');
  write(one, 'first');
  purge(one, 'api::article.article');
  await one.share();
  const other = instance('Bob');
  write(other, 'second');
  const expected = [
    { id: 3, actor: { kind: 'admin', name: 'Bob' }, purged: undefined, tags: ['second'], entries: undefined },
    {
      id: 2,
      actor: { kind: 'admin', name: 'Ada' },
      purged: { kind: 'content-type', uid: 'api::article.article', params: { id: 7 } },
      tags: ['articles'],
      entries: 3,
    },
    { id: 1, actor: { kind: 'admin', name: 'Ada' }, purged: undefined, tags: ['first'], entries: undefined },
  ];
  expect(await other.readAll()).toMatchObject(expected);
  expect(await one.readAll()).toMatchObject(expected);
  expect(await instance().readAll()).toMatchObject(expected);
});

it('an activity of another process is told once, and as that one tells it', async () => {
  const [one, other] = [instance('Ada'), instance('Bob')];
  write(one, 'first');
  other.wroteElsewhere([tag('first')]);
  await one.share();
  await other.share();
  expect(await other.readAll()).toMatchObject([{ actor: { name: 'Ada' }, tags: ['first'] }]);
});

it('the activity is that of this process while the store is away, and owed to the store', async () => {
  const one = instance();
  write(one, 'before');
  lists.fault = 'away';
  write(one, 'meanwhile');
  await one.share();
  expect(await tagsOf(one)).toEqual(['meanwhile', 'before']);
  expect(await tagsOf(instance())).toEqual([]);
  lists.fault = undefined;
  await one.share();
  expect(await tagsOf(instance())).toEqual(['meanwhile', 'before']);
});

it('an activity is told once, where the store took it and was too late to say so', async () => {
  const one = instance();
  lists.fault = 'late';
  write(one, 'first');
  write(one, 'second');
  await one.share();
  await one.share();
  lists.fault = undefined;
  write(one, 'third');
  expect(await tagsOf(one)).toEqual(['third', 'second', 'first']);
});

it('the activity is bounded, in the store and on its way there, and writes push no purge out', async () => {
  const one = instance();
  purge(one, 'api::article.article');
  lists.fault = 'away';
  for (let count = 0; count < 1000; count += 1) write(one, `row${count}`);
  await one.share();
  lists.fault = undefined;
  for (let count = 1000; count < 1100; count += 1) write(one, `row${count}`);
  const records = await one.readAll();
  expect(lists.longest).toBe(200);
  expect(records).toHaveLength(201);
  expect(records[0]?.tags).toEqual(['row1099']);
  expect(records[199]?.tags).toEqual(['row900']);
  expect(records.at(-1)?.purged).toMatchObject({ kind: 'content-type' });
});

it('the activity leaves out what is no record', async () => {
  const one = instance();
  write(one, 'first');
  await one.share();
  const record = JSON.parse(lists.texts.get('writes')?.[0] ?? '') as object;
  const others = [
    'no JSON',
    'null',
    '{}',
    '[]',
    ...[{ at: 'now' }, { actor: { kind: 'ghost' } }, { tags: [7] }, { purged: { kind: 'entry' } }].map((damage) =>
      JSON.stringify({ ...record, ...damage }),
    ),
  ];
  lists.texts.set('writes', [...others, ...(lists.texts.get('writes') ?? [])]);
  expect(await tagsOf(one)).toEqual(['first']);
});

it.each([8.65e15, -1, 1e300])(
  'what another program has written is left out if it happened at %d, which is no date',
  async (at) => {
    lists.texts.set('writes', [JSON.stringify({ id: 1, at, actor: { kind: 'application' }, tags: [] })]);
    expect(await instance().readAll()).toEqual([]);
  },
);
