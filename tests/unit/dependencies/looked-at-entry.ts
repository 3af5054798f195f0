import { systemClock } from '../../../server/src/cache/clock';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { NO_INVALIDATION } from '../../../server/src/cache/sequence';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';

/** How often the tags of any entry were read. */
export interface Looked {
  times: number;
}

export const cacheKey = (number: number): CacheKey => `/api/articles/${number}?&&` as CacheKey;

const body = Buffer.from('{}');

/** An entry that counts each read of its tags. No decision about an entry is possible without them. */
export const sampleEntry = (number: number, looked: Looked): Entry => ({
  key: cacheKey(number),
  response: { status: 200, headers: [], body, etag: undefined },
  labels: { contentType: 'api::article.article', route: '/api/articles/:id', params: {}, identity: '' },
  get tags() {
    looked.times += 1;
    return [EVERYTHING, tag('type:api::article.article'), tag(`articles#${number}`)];
  },
  sequence: NO_INVALIDATION,
  createdAt: systemClock.now(),
  maxAge: milliseconds(60_000),
  cost: milliseconds(1),
});
