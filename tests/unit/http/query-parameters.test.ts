import { expect, it } from 'vitest';
import { hidingParameters } from '../../../server/src/http/query-parameters';
import { koaContext } from './koa-context';

const querystringSeen = (target: string, change: (query: Record<string, unknown>) => void): Promise<string> => {
  const ctx = koaContext(target);
  change(ctx.query);
  return hidingParameters(ctx, ['page'], () => Promise.resolve(ctx.querystring));
};

it.each<[description: string, change: (query: Record<string, unknown>) => void]>([
  ['as it came', () => undefined],
  ['to which a middleware has added a parameter in place', (query) => (query.populate = '*')],
])('the query string of a request %s keeps what is in the key', async (_description, change) => {
  expect(await querystringSeen('/api/articles?page=2&utm=x', change)).toBe('page=2');
});
