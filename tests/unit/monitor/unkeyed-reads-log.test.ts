import { expect, it } from 'vitest';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { unkeyedReadsLog } from '../../../server/src/monitor/notices';

const route = (path: string): ResolvedRoute => ({ path }) as ResolvedRoute;

it('says once for all routes what a middleware reads that goes by a name, and for each route what its own code reads', () => {
  const lines: string[] = [];
  const log = unkeyedReadsLog((line) => lines.push(line));
  const [one, other] = [log(route('/api/one')), log(route('/api/other'))];
  const named = (): string => 'global::tenant';
  for (const tell of [one, one, other]) tell(['x-tenant'], named);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\[rest-cache\] GET \/api\/one is not stored: global::tenant reads .*strategy\.keys\.$/);
  other(['x-region'], named);
  expect(lines).toHaveLength(2);
  for (const tell of [one, other]) tell(['x-shop'], () => undefined);
  for (const tell of [one, other]) tell(['x-cart'], () => 'its policy global::tenant');
  expect(lines.slice(2).map((line) => line.split(':')[0])).toEqual([
    '[rest-cache] GET /api/one is not stored',
    '[rest-cache] GET /api/other is not stored',
    '[rest-cache] GET /api/one is not stored',
    '[rest-cache] GET /api/other is not stored',
  ]);
});
