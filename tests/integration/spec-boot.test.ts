import { afterEach, describe, expect, it, vi } from 'vitest';
import { startApplication } from '../application/start-application';
import type { RestCacheConfig } from '../../server/src/config/user-config';

/** What the boot reports about a configuration: it stops with one message, or it warns. */

/** Lets a test use configurations that the compiler would refuse but that users write. */
const anything = (config: unknown): RestCacheConfig => config as RestCacheConfig;

const bootFailure = async (config: unknown): Promise<Error> => {
  try {
    const application = await startApplication({ restCache: anything(config) });
    await application.stop();
  } catch (error) {
    return error as Error;
  }
  throw new Error('the application booted');
};

// The messages are asked in tests/unit/config and tests/unit/plugin/wrong-configuration.test.ts.
it('the boot stops at a configuration that is wrong, and the message is all that Strapi has to log: it logs the stack as well', async () => {
  const { message, stack } = await bootFailure({
    strategy: { maxAge: 0, enableEtags: true, contentTypes: ['api::article.article'] },
  });
  expect(message).toContain('The configuration of "rest-cache" in config/plugins has 2 problems:');
  expect(message).toContain('strategy.enableEtags is not an option; did you mean "enableEtag"?');
  expect(stack).toBe('');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the boot warns', () => {
  it('of shared entries, of routes that match nothing, of a purge that is granted to the Public role, of several processes with a cache in memory each', async () => {
    vi.stubEnv('NODE_APP_INSTANCE', '1');
    const application = await startApplication({
      restCache: {
        provider: { name: 'memory' },
        strategy: {
          enableContentApiPurge: true,
          hitpass: false,
          contentTypes: [
            'api::tag.tag',
            {
              contentType: 'api::article.article',
              hitpass: true,
              routes: [{ path: '/api/articles/:id', hitpass: false }],
            },
            { contentType: 'api::category.category', hitpass: () => false },
            { contentType: 'api::order.order', keys: { useAuth: true } },
            {
              contentType: 'api::author.author',
              hitpass: true,
              routes: ['/api/authors/of-the-month', '/api/status/:x'],
            },
            { contentType: 'api::homepage.homepage', hitpass: true, injectDefaultRoutes: false },
            { contentType: 'api::writer.editor', hitpass: true, keys: { useHeaders: ['Authorization'] } },
          ],
        },
      },
      beforeLoad: (strapi) => {
        const { register } = strapi;
        strapi.register = async () => {
          await register.call(strapi);
          strapi.hook('strapi::content-types.afterSync').register(async () => {
            const role = (await strapi.db.connection('up_roles').where({ type: 'public' }).first()) as { id: number };
            const action = 'plugin::rest-cache.purge.contentApi';
            await strapi.db.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } });
          });
          return strapi;
        };
      },
    });
    await application.stop();
    const warnings = application.warnings.filter((line) => line.startsWith('[rest-cache]'));
    const about = (what: string): string[] => warnings.filter((warning) => warning.includes(what));
    expect(about('"api::tag.tag"')).toHaveLength(1);
    expect(about('"api::tag.tag"')[0]).toContain('all callers share one response');
    expect(about('GET /api/articles/:id')[0]).toContain('all callers share one response');
    expect(about('"api::category.category"')[0]).toContain('hitpass is a function');
    expect(about('api::order.order')).toEqual([]);
    expect(about('/api/authors/of-the-month')[0]).toContain('no route of the content API matches');
    expect(about('/api/status/:x')[0]).toContain('the nearest route is GET /api/status');
    expect(about('api::homepage.homepage')[0]).toContain('has no route that could be cached');
    expect(about('live credential')[0]).toContain('strategy.contentTypes[6].keys.useHeaders');
    expect(about('provider.name is "memory", and this process looks like one of several')).toHaveLength(1);
    expect(about('The role Public is granted plugin::rest-cache.purge.contentApi')).toHaveLength(1);
    expect(warnings).toHaveLength(9);
  });
});
