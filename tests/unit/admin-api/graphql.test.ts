import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { isGraphql } from '../../../server/src/admin-api/graphql';

const application = (plugins: object, endpoint?: string) =>
  ({ plugins, config: { get: (_path: string, otherwise: string) => endpoint ?? otherwise } }) as unknown as Core.Strapi;

it.each([
  ['/graphql', application({ graphql: {} }), true],
  ['/api/articles', application({ graphql: {} }), false],
  ['/graphql', application({ graphql: {} }, '/query'), false],
  ['/query', application({ graphql: {} }, '/query'), true],
  ['/graphql', application({}), false],
])('%s is asked for GraphQL or not', (path, strapi, is) => {
  expect(isGraphql(strapi, path)).toBe(is);
});
