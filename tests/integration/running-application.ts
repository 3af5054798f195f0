import { afterAll, beforeAll } from 'vitest';
import type { StrategyConfig } from '../../server/src/config/user-config';
import { startApplication, type Application } from '../application/start-application';

/**
 * The application for the tests of the `describe` that contains this call. It is started before them, with `X-Cache`,
 * and stopped after them. Preparations belong in a `beforeAll` below the call.
 *
 * @param files compiled files to add or replace, such as a probe's.
 */
export const runningApplication = (files: Readonly<Record<string, string>>, strategy: StrategyConfig): Application => {
  let application: Application | undefined;
  beforeAll(async () => {
    application = await startApplication({
      files,
      restCache: { strategy: { enableXCacheHeaders: true, ...strategy } },
    });
  });
  afterAll(() => application?.stop());
  return new Proxy({} as Application, {
    get: (_target, name) => {
      if (application === undefined)
        throw new Error(`${String(name)} was asked for before the application was started`);
      return Reflect.get(application, name) as unknown;
    },
  });
};
