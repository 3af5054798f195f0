import { beforeEach, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { byRoute, Metrics, requestCounts, routeCountName } from '../../../server/src/monitor/metrics';
import { reasonName, reasonOf } from '../../../server/src/monitor/reason-counts';
import { anEntry, aRoute } from './route';

const cost = milliseconds(20);
const cookie = { code: 'cookie', detail: 'Set-Cookie' };
const notKept = (reason: { code: string; detail: string }) => ({ kind: 'miss', stored: false, reason, cost }) as const;
let metrics: Metrics;

beforeEach(() => {
  metrics = new Metrics();
});

it('reasons are counted apart, with what Strapi spent on them', () => {
  const credentials = { code: 'credentials', detail: 'authorization or cookie header' };
  metrics.answered({ kind: 'miss', stored: true, cost }, aRoute(), anEntry());
  for (const _ of [1, 2]) metrics.answered(notKept(cookie), aRoute(), undefined);
  metrics.answered({ kind: 'hitpass', reason: credentials, cost: milliseconds(7) }, aRoute(), undefined);
  metrics.answered(notKept(cookie), aRoute({ path: '/api/visits' }), undefined);
  const tally = metrics.tally();
  const count = (name: string, path = '/api/articles') => tally[routeCountName(path, name)];
  expect([count('miss'), count('store'), count('missTime'), count('hitpass'), count('hitpassTime')]).toEqual([
    3, 1, 60, 1, 7,
  ]);
  expect(count(reasonName('miss', cookie))).toBe(2);
  expect(count(reasonName('hitpass', credentials))).toBe(1);
  expect(count(reasonName('miss', cookie), '/api/visits')).toBe(1);
  expect(metrics.byContentType.get('api::article.article')?.miss).toBe(4);
  expect(requestCounts(byRoute(tally).values()).miss).toBe(4);
});

it('reasons come with the latest request they were given for', () => {
  for (const target of ['/api/articles?a', '/api/articles?b'])
    metrics.answered(notKept(cookie), aRoute(), undefined, target);
  expect(metrics.exampleOf('/api/articles', reasonName('miss', cookie))).toBe('/api/articles?b');
  expect(metrics.exampleOf('/api/articles', reasonName('miss', { code: 'stream', detail: 'stream' }))).toBeUndefined();
});

it('reasons are not as many as a handler can make up', () => {
  for (let index = 0; index < 500; index += 1)
    metrics.answered(notKept({ code: 'vary', detail: `Vary: x-${index}` }), aRoute(), undefined);
  const reasons = Object.entries(metrics.tally()).filter(([name]) => name.includes('\nmiss '));
  expect(reasons).toHaveLength(31);
  expect(reasons.reduce((sum, [, count]) => sum + count, 0)).toBe(500);
  expect(metrics.tally()[routeCountName('/api/articles', 'miss other ')]).toBe(470);
});

it('reasons are counted for requests that missed and filled the cache, besides reasons of other kinds', () => {
  for (let index = 0; index < 100; index += 1)
    metrics.answered(notKept({ code: 'vary', detail: `Vary: x-${index}` }), aRoute(), undefined);
  const first = { code: 'first', detail: '' };
  metrics.answered({ kind: 'miss', stored: true, cost }, aRoute(), anEntry(), '/api/articles?a', false, first);
  expect(metrics.tally()[routeCountName('/api/articles', reasonName('fill', first))]).toBe(1);
  expect(metrics.exampleOf('/api/articles', reasonName('fill', first))).toBe('/api/articles?a');
  expect(reasonOf(reasonName('fill', first))).toEqual({ kind: 'fill', ...first });
});

it('that nothing was ever stored is known of a route only from its misses', () => {
  expect(metrics.storesNothing('/api/articles')).toBe(false);
  metrics.answered(notKept(cookie), aRoute(), undefined);
  expect(metrics.storesNothing('/api/articles')).toBe(true);
  metrics.answered({ kind: 'miss', stored: true, cost }, aRoute(), anEntry());
  expect(metrics.storesNothing('/api/articles')).toBe(false);
});
