import { systemClock } from '../../../server/src/cache/clock';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';
import { anEntry } from '../monitor/route';

/** How often the tags of any entry were read. */
export interface Looked {
  times: number;
}

export const cacheKey = (number: number): CacheKey => `/api/articles/${number}?&&` as CacheKey;

/** An entry that counts each read of its tags. No decision about an entry is possible without them. */
export const sampleEntry = (number: number, looked: Looked): Entry => ({
  ...anEntry({ key: cacheKey(number), createdAt: systemClock.now() }),
  get tags() {
    looked.times += 1;
    return [EVERYTHING, tag('type:api::article.article'), tag(`articles#${number}`)];
  },
});
