import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { tag, type Tag } from '../../../server/src/cache/tag';
import { TagTexts } from '../../../server/src/cache/tag-texts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const LISTS = 200;
const TAGS = 50;

/** Tags of 1,000 bytes, whose texts are made anew for each list. */
const madeAnew = (): Tag[] =>
  Array.from({ length: TAGS }, (_, index) => tag(Buffer.alloc(1000, `${index} `).toString('latin1')));

it('many lists of the same tags take little more than one', () => {
  const texts = new TagTexts();
  const lists = [texts.share(madeAnew())];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  while (lists.length < LISTS) lists.push(texts.share(madeAnew()));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((LISTS * TAGS * 1000) / 4);
  expect(lists.at(-1)).toEqual(lists[0]);
});
