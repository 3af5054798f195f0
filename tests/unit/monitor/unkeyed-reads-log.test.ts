import { expect, it } from 'vitest';
import { unkeyedReadsLog } from '../../../server/src/monitor/notices';

it('says once for all routes what code reads that has a name, and for each route what its handler reads', () => {
  const lines: string[] = [];
  const log = unkeyedReadsLog((line) => lines.push(line));
  const tell = (path: string, detail: string, code = 'reads'): void => log(`/api/${path}`, { code, detail });
  for (const path of ['one', 'one', 'other']) tell(path, 'reads x-tenant (in global::tenant) of the request');
  tell('other', 'reads x-region (in global::tenant) of the request');
  for (const path of ['one', 'other', 'one']) tell(path, 'reads x-shop of the request');
  tell('one', 'Set-Cookie', 'cookie');
  expect(lines).toEqual([
    '[rest-cache] /api/one is not stored: it reads x-tenant (in global::tenant) of the request.',
    '[rest-cache] /api/other is not stored: it reads x-region (in global::tenant) of the request.',
    '[rest-cache] /api/one is not stored: it reads x-shop of the request.',
    '[rest-cache] /api/other is not stored: it reads x-shop of the request.',
  ]);
});
