import type { Core } from '@strapi/strapi';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../application/paths';
import { startApplication, type Application } from '../application/start-application';
import { ROUTES_SHOWN, routesShown, SHOWS_ROUTES } from './shown-routes';

/*
 * Reading a property of knex fails, but only for the plugin, because Strapi itself would not boot otherwise. What each
 * part of Strapi or knex that is missing means for the boot: tests/unit/plugin/unobservable.test.ts.
 */

const SECRET = 'scrape-me';

/** The path of the plugin as it is published. */
const PLUGIN = path.join(ROOT, 'dist', 'server') + path.sep;

const asksForPlugin = (): boolean => {
  // The first lines are this function and the accessor, then the code that reads the property.
  const [, , , asker = ''] = (new Error('who asks').stack ?? '').split('\n');
  return asker.includes(PLUGIN);
};

const failing = (): never => {
  throw new Error('made otherwise');
};

/** Replaces a property, but only for code of the plugin. */
const replaceForPlugin = (owner: object, name: string, replacement: () => unknown): void => {
  let own: unknown;
  let isOwn = false;
  const prototype = Object.getPrototypeOf(owner) as object;
  const original = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, {
    configurable: true,
    get() {
      if (asksForPlugin()) return replacement();
      if (isOwn) return own;
      if (original === undefined) return Reflect.get(prototype, name, owner) as unknown;
      return original.get === undefined ? original.value : (original.get.call(owner) as unknown);
    },
    set(value: unknown) {
      isOwn = true;
      own = value;
    },
  });
};

const boot = (breakIt: (strapi: Core.Strapi) => void): Promise<Application> =>
  startApplication({
    files: SHOWS_ROUTES,
    restCache: {
      metrics: { prometheusSecret: SECRET },
      strategy: {
        enableContentApiPurge: true,
        enableXCacheHeaders: true,
        clearRelatedCache: false,
        contentTypes: ['api::article.article'],
      },
    },
    beforeLoad: (strapi) => {
      const { runPluginsLifecycles } = strapi as unknown as { runPluginsLifecycles: (name: string) => Promise<void> };
      Object.assign(strapi, {
        runPluginsLifecycles: (name: string) => {
          if (name === 'register') breakIt(strapi);
          return runPluginsLifecycles.call(strapi, name);
        },
      });
    },
  });

const observing = async (application: Application): Promise<string | undefined> => {
  const response = await application.request('/rest-cache/metrics/prometheus', {
    headers: { authorization: `Bearer ${SECRET}` },
  });
  return /^rest_cache_observing .*$/m.exec(await response.text())?.[0];
};

/** The controller is called directly, because Strapi limits logins of admins to a few a minute. */
const panelWarnings = async ({ strapi }: Application): Promise<readonly string[]> => {
  const ctx: { body?: { warnings: ReadonlyArray<{ readonly text: string }> } } = {};
  const { report } = strapi.plugin('rest-cache').controller('metrics') as unknown as {
    report(ctx: object): Promise<void>;
  };
  await report(ctx);
  return ctx.body?.warnings.map(({ text }) => text) ?? [];
};

const SAID = 'nothing is cached, every request goes to Strapi: ';

it('where the database is otherwise than expected: it boots, nothing is cached, and it is said why', async () => {
  const application = await boot(({ db }) => replaceForPlugin(db.connection as object, 'client', failing));
  try {
    for (const _ of [1, 2]) {
      const { status, cache } = await application.get('/api/articles');
      expect({ status, isHit: cache === 'HIT' }).toEqual({ status: 200, isHit: false });
    }
    expect(await routesShown(application)).toEqual(ROUTES_SHOWN);
    expect(application.warnings.filter((line) => line.includes(SAID))).not.toEqual([]);
    expect(await observing(application)).toBe('rest_cache_observing 0');
    expect((await panelWarnings(application)).join()).toContain(SAID);
  } finally {
    await application.stop();
  }
});
