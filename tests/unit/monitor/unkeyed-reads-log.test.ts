import { expect, it } from 'vitest';
import type { FunctionInFront } from '../../../server/src/http/exchange';
import { unkeyedReadsLog } from '../../../server/src/monitor/notices';

it('says once for all routes what a middleware reads that goes by a name, and for each route what its own code reads', () => {
  const lines: string[] = [];
  const log = unkeyedReadsLog((line) => lines.push(line));
  const tell = (path: string, name: string, where: () => FunctionInFront | undefined): void =>
    log({ path: `/api/${path}` }, [name], where);
  // A name that begins like those of functions of routes.
  const named = (): FunctionInFront => ({ who: 'policy of tenants', isGlobal: true });
  for (const path of ['one', 'one', 'other']) tell(path, 'x-tenant', named);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\[rest-cache\] GET \/api\/one is not stored: policy of tenants reads .*strategy\.keys\.$/);
  tell('other', 'x-region', named);
  expect(lines).toHaveLength(2);
  for (const path of ['one', 'other', 'one']) tell(path, 'x-shop', () => undefined);
  for (const path of ['one', 'other']) tell(path, 'x-cart', () => ({ who: 'policy global::tenant', isGlobal: false }));
  expect(lines.slice(2).map((line) => line.split(':')[0])).toEqual([
    '[rest-cache] GET /api/one is not stored',
    '[rest-cache] GET /api/other is not stored',
    '[rest-cache] GET /api/one is not stored',
    '[rest-cache] GET /api/other is not stored',
  ]);
});
