import { expect, it } from 'vitest';
import { cacheKey } from '../../../server/src/cache/key';
import { sequence } from '../../../server/src/cache/sequence';
import type { Lookup } from '../../../server/src/cache/provider';
import { SharedLookups } from '../../../server/src/providers/redis/shared-lookups';

const key = cacheKey({ path: '/a', query: {}, headers: [], identity: '' });
const other = cacheKey({ path: '/b', query: {}, headers: [], identity: '' });
const plain = undefined;

/** A store that answers only when the test says so. Each answer contains the number of its question. */
const createStore = () => {
  const answers: Array<(failure?: Error) => void> = [];
  const send = () =>
    new Promise<Lookup>((resolve, reject) => {
      const number = answers.length;
      answers.push((failure) => (failure === undefined ? resolve({ sequence: sequence(number) }) : reject(failure)));
    });
  return { answers, send };
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('whoever asks while a question is under way shares the next one, never that one', async () => {
  const { answers, send } = createStore();
  const lookups = new SharedLookups();
  const first = lookups.ask(key, plain, send);
  const second = lookups.ask(key, plain, send);
  const third = lookups.ask(key, plain, send);
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await turn();
  const fourth = lookups.ask(key, plain, send);
  expect(answers).toHaveLength(2);
  answers[1]?.();
  await turn();
  answers[2]?.();
  expect((await Promise.all([first, second, third, fourth])).map((found) => found.sequence)).toEqual([0, 1, 1, 2]);
});

it('another key, and another question about the same one, is asked at once', async () => {
  const { answers, send } = createStore();
  const lookups = new SharedLookups();
  const all = [
    lookups.ask(key, plain, send),
    lookups.ask(other, plain, send),
    lookups.ask(key, { tags: [], since: sequence(0) }, send),
  ];
  expect(answers).toHaveLength(3);
  for (const answer of answers) answer();
  await Promise.all(all);
});

it('a failure is for those who asked that question, and the next is asked all the same', async () => {
  const { answers, send } = createStore();
  const lookups = new SharedLookups();
  const first = lookups.ask(key, plain, send);
  const second = lookups.ask(key, plain, send);
  answers[0]?.(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await turn();
  answers[1]?.();
  expect((await second).sequence).toBe(1);
});

it('when nobody waits, nothing is kept and the next question goes out at once', async () => {
  const { answers, send } = createStore();
  const lookups = new SharedLookups();
  for (let round = 0; round < 3; round += 1) {
    const found = lookups.ask(key, plain, send);
    expect(answers).toHaveLength(round + 1);
    answers[round]?.();
    await found;
    await turn();
  }
});
