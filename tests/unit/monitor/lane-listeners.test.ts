import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { laneListener } from '../../../server/src/monitor/observability';
import type { LaneListener } from '../../../server/src/lanes/serve-entry';
import { Activity } from '../../../server/src/monitor/activity';
import { Metrics, routeCountName } from '../../../server/src/monitor/metrics';
import { reasonName } from '../../../server/src/monitor/reason-counts';
import { anEntry, aRoute } from './route';

const clock = { now: () => milliseconds(1000) };
const HIT = { kind: 'hit', collapsed: false, timeToLive: milliseconds(1) } as const;
const MISS = { kind: 'miss', stored: true, cost: milliseconds(5) } as const;
const key = '/api/visits?&&' as CacheKey;
let metrics: Metrics;
let activity: Activity;
let listeners: LaneListener;
let messages: unknown[];
const note = (message: unknown): void => void messages.push(message);

beforeEach(() => {
  metrics = new Metrics();
  activity = new Activity({ clock, currentActor: () => ({ kind: 'application' }), countsSwept: () => true });
  listeners = laneListener(metrics, activity);
  messages = [];
});
afterEach(() => {
  for (const name of ['rest-cache:lookup', 'rest-cache:store']) unsubscribe(name, note);
});

it('counts what hits save', () => {
  const entry = anEntry({ cost: 40 });
  listeners.answered(HIT, aRoute(), entry);
  listeners.answered(HIT, aRoute(), entry);
  expect(metrics.byContentType.get('api::article.article')).toMatchObject({ hit: 2, saved: 80 });
  expect(metrics.hitsOf(entry)).toBe(2);
});

it('counts why a request missed whose response was stored', () => {
  listeners.answered(MISS, aRoute(), anEntry({ key }), undefined, '/api/visits');
  activity.evicted([key]);
  listeners.answered(MISS, aRoute(), anEntry({ key }), undefined, '/api/visits');
  const counted = (code: string) =>
    metrics.tally()[routeCountName('/api/articles', reasonName('fill', { code, detail: '' }))];
  expect([counted('first'), counted('evicted'), counted('gone')]).toEqual([1, 1, undefined]);
});

it('counts the hits of an entry in all its copies, and none of the one before it', () => {
  const hit = (entry: Entry): void => listeners.answered(HIT, aRoute(), entry);
  hit(anEntry());
  hit(anEntry());
  expect(metrics.hitsOf(anEntry())).toBe(2);
  for (const next of [anEntry({ createdAt: 1 }), anEntry({ createdAt: 1, sequence: 1 })]) {
    expect(metrics.hitsOf(next)).toBe(0);
    hit(next);
    expect(metrics.hitsOf(next)).toBe(1);
  }
  expect(metrics.hitsOf(anEntry({ key: '/api/other?&&' }))).toBe(0);
});

it('remembers why a response was not kept, until one is', () => {
  listeners.answered(
    { kind: 'miss', stored: false, cost: milliseconds(5), reason: { code: 'cookie', detail: 'Set-Cookie' } },
    aRoute(),
    undefined,
    key,
  );
  const refusal = { cause: 'refused', at: 1000, reason: { code: 'cookie', detail: 'Set-Cookie' } };
  expect(activity.absenceOf(key)).toEqual(refusal);
  activity.evicted([key]);
  expect(activity.absenceOf(key)).toEqual(refusal);
  listeners.answered(MISS, aRoute(), anEntry({ key }));
  expect(activity.absenceOf(key)?.cause).toBe('gone');
});

it('publishes to whoever has subscribed', () => {
  subscribe('rest-cache:lookup', note);
  subscribe('rest-cache:store', note);
  listeners.answered(MISS, aRoute(), anEntry({ key }));
  expect(messages).toMatchObject([
    { outcome: 'miss', contentType: 'api::article.article', route: '/api/articles', key, collapsed: false },
    { key, contentType: 'api::article.article', cost: 5, maxAge: 60_000 },
  ]);
});

it('makes no message while nobody has', () => {
  expect(channel('rest-cache:lookup').hasSubscribers).toBe(false);
  listeners.answered(MISS, aRoute(), anEntry({ key }));
  expect(messages).toEqual([]);
});
