import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { letsCredentialsIn } from '../../../server/src/config/hitpass';
import { resolveConfig } from '../../../server/src/config/resolve';
import type { Hitpass } from '../../../server/src/config/user-config';
import { application } from './application';

/**
 * The default `hitpass` of `@strapi-community/plugin-rest-cache` is a function. Many users have copied it into their
 * configuration.
 */

const written: Hitpass = ({ request }: Context) => Boolean(request.headers.authorization || request.headers.cookie);

describe('whether a hitpass lets requests with credentials in', () => {
  it.each<[description: string, hitpass: Hitpass, expected: boolean]>([
    ['true', true, false],
    ['false', false, true],
    ['the default, written out', written, false],
    ['the same in other words', (ctx) => !!ctx.get('Authorization') || 'cookie' in ctx.headers, false],
    ['one that looks at one header alone', (ctx) => Boolean(ctx.headers.authorization), true],
    ['one that never bypasses', () => false, true],
    ['one that always bypasses', () => true, true],
    ['one that answers later', async (ctx) => Promise.resolve(written(ctx)), true],
    [
      'one that answers later by another promise',
      (ctx) => (written(ctx) ? ({ then: () => undefined } as never) : false),
      true,
    ],
    ['one that fails later', () => Promise.reject(new Error('later')), true],
    [
      'one that fails',
      () => {
        throw new Error('now');
      },
      true,
    ],
  ])('%s', (_description, hitpass, expected) => {
    expect(letsCredentialsIn(hitpass)).toBe(expected);
  });

  it('is asked once: a function may count', () => {
    let calls = 0;
    const counting = (): boolean => (calls += 1) < 0;
    letsCredentialsIn(counting);
    letsCredentialsIn(counting);
    expect(calls).toBe(3);
  });
});

it('the default, written out, raises no warning', () => {
  const contentTypes = ['api::article.article'];
  expect(resolveConfig({ strategy: { hitpass: written, contentTypes } }, application()).warnings).toEqual([]);
});
