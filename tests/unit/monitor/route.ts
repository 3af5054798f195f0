import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import type { Entry, StoredResponse } from '../../../server/src/cache/entry';
import { tag } from '../../../server/src/cache/tag';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { DEFAULT_KEYS, DEFAULT_STALE } from '../config/defaults';

export const aRoute = (changes: Partial<ResolvedRoute> = {}): ResolvedRoute => ({
  contentType: 'api::article.article',
  method: 'GET',
  path: '/api/articles',
  maxAge: milliseconds(60_000),
  statuses: [],
  repeatable: false,
  sharesWork: true,
  stale: DEFAULT_STALE,
  hitpass: true,
  keys: DEFAULT_KEYS,
  paramNames: [],
  isOpen: false,
  ...changes,
});

interface EntryFacts {
  readonly key?: string;
  readonly tags?: readonly string[];
  readonly sequence?: number;
  readonly createdAt?: number;
  readonly maxAge?: number;
  readonly body?: Buffer;
  readonly headers?: StoredResponse['headers'];
  readonly cost?: number;
}

export const anEntry = ({
  key = '/api/articles?&&',
  tags = [],
  sequence: since = 0,
  createdAt = 0,
  maxAge = 60_000,
  body = Buffer.from('{}'),
  headers = [],
  cost = 5,
}: EntryFacts = {}): Entry => ({
  key: key as CacheKey,
  response: { status: 200, headers, body, etag: undefined },
  labels: { contentType: 'api::article.article', route: '/api/articles', params: {}, identity: '' },
  tags: tags.map(tag),
  sequence: sequence(since),
  createdAt: milliseconds(createdAt),
  maxAge: milliseconds(maxAge),
  cost: milliseconds(cost),
});
