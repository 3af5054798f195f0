import { expect, it } from 'vitest';
import { reportGrants } from '../../../check/grants';
import type { ResolvedStrategy } from '../../../server/src/config/resolved-config';

it.each([true, false])('names the purge where the application has put its API (the purge allowed: %s)', (allowed) => {
  const strategy = { enableContentApiPurge: allowed, contentTypes: [] } as unknown as ResolvedStrategy;
  const token = {
    kind: 'token',
    name: 'CI',
    type: 'custom',
    actions: new Set(['plugin::rest-cache.purge.contentApi']),
  };
  const told = reportGrants([token as never], strategy, { routes: [], restPrefix: '/v1' }).join('\n');
  expect(told).toContain('POST /v1/rest-cache/purge');
  expect(told).not.toContain('/api/');
});
