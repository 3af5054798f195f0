import { expect, it } from 'vitest';
import type { ResolvedKeys } from '../../../server/src/config/resolved-config';
import { requestKey } from '../../../server/src/http/request-key';
import { koaContext } from './koa-context';

const keys: ResolvedKeys = {
  useQueryParams: true,
  useHeaders: ['x-tenant', 'x-region', 'strapi-response-format'],
  ignoreHeaders: [],
  useAuth: false,
};

const keyOf = (headers: Readonly<Record<string, string>>, target = '/api/tags'): string =>
  requestKey(koaContext(target, headers), keys, { kind: 'public', name: 'up:public' });

it('each of several headers of the key tells requests apart, whichever others are sent', () => {
  const sent: Array<Record<string, string>> = [
    {},
    { 'x-tenant': 'a' },
    { 'x-tenant': 'b' },
    { 'x-region': 'a' },
    { 'x-tenant': 'a', 'x-region': 'a' },
    { 'x-tenant': 'a', 'x-region': 'b' },
    { 'x-tenant': 'b', 'x-region': 'a' },
    { 'x-tenant': 'a', 'x-region': 'b', 'strapi-response-format': 'v4' },
    { 'x-tenant': 'a', 'x-region': 'b', 'strapi-encode-source-maps': 'true' },
  ];
  expect(new Set(sent.map((headers) => keyOf(headers))).size).toBe(sent.length);
});

it('a header that is in every key is in it once, where it is configured as well', () => {
  expect(keyOf({ 'strapi-response-format': 'v4' })).toBe('/api/tags?&strapi-response-format=v4&');
});

it('a header of the key counts with an empty value, too, and others do not count', () => {
  expect(keyOf({ 'x-tenant': '' })).not.toBe(keyOf({}));
  expect(keyOf({ 'x-other': 'a' })).toBe(keyOf({}));
});

it('what the client asked for counts where a middleware has changed the path, but not where only its spelling is another', () => {
  const routed = (target: string): string => {
    const ctx = koaContext(target);
    const layer = { path: '/api/tags', regexp: /^\/api\/tags[\/#\?]?$/i };
    Object.assign(ctx, { matched: [layer], routerPath: '/api/tags', newRouterPath: '/api/tags' });
    return requestKey(ctx, keys, { kind: 'public', name: 'up:public' });
  };
  expect(routed('/API/Tags/')).toBe(routed('/api/tags'));
  expect(routed('/acme/api/tags')).not.toBe(routed('/api/tags'));
});
