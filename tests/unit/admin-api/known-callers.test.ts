import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { knownCallers } from '../../../server/src/admin-api/known-callers';

it('a token of the content API is listed however many there are for the admin API', async () => {
  const ofAdmin = Array.from({ length: 60 }, (_, id) => ({ id, name: `Admin ${id}`, type: null, kind: 'admin' }));
  const tokens = [...ofAdmin, { id: 60, name: 'Site', type: 'read-only', kind: 'content-api' }];
  const findMany = ({ limit }: { limit: number }) => Promise.resolve(tokens.slice(0, limit));
  const strapi = { db: { metadata: new Map(), query: () => ({ findMany }) } } as unknown as Core.Strapi;
  expect((await knownCallers(strapi, {})).tokens).toEqual([{ id: 60, name: 'Site', type: 'read-only' }]);
});
