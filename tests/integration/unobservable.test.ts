import type { Core } from '@strapi/strapi';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../application/paths';
import { startApplication, type Application } from '../application/start-application';
import { ROUTES_SHOWN, routesShown, SHOWS_ROUTES } from './shown-routes';

/*
 * Strapi or knex is not as expected: a property is missing, or reading it fails.
 * Only the plugin sees it so, because Strapi itself would not boot otherwise. The application boots, nothing is cached,
 * and the reason is reported.
 */

const SECRET = 'scrape-me';

/** The path of the plugin as it is published. */
const PLUGIN = path.join(ROOT, 'dist', 'server') + path.sep;

const asksForPlugin = (): boolean => {
  // The first lines are this function and the accessor, then the code that reads the property.
  const [, , , asker = ''] = (new Error('who asks').stack ?? '').split('\n');
  return asker.includes(PLUGIN);
};

const missing = (): undefined => undefined;
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

type Whose = (strapi: Core.Strapi) => object;

/**
 * One part of Strapi and one of the database. What a part missing or failing means for the boot, part by part, is asked
 * without Strapi in tests/unit/plugin/unobservable.test.ts.
 */
const SEAMS: ReadonlyArray<
  readonly [what: string, how: string, whose: Whose, name: string, replacement: () => unknown]
> = [
  ['strapi.requestContext', 'missing', (strapi) => strapi, 'requestContext', missing],
  ["knex' client", 'failing', (strapi) => strapi.db.connection as object, 'client', failing],
];

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

describe('where the plugin finds Strapi or knex otherwise than expected', () => {
  it.each(SEAMS)(
    '%s is %s: it boots, nothing is cached, and it is said why',
    async (_where, _how, whose, name, replacement) => {
      const application = await boot((strapi) => replaceForPlugin(whose(strapi), name, replacement));
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
    },
  );
});
