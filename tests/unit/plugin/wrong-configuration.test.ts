import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { ConfigurationError } from '../../../server/src/config/configuration-error';
import { resolveConfig } from '../../../server/src/config/resolve';
import { parseConfig } from '../../../server/src/config/schema';
import { createProvider } from '../../../server/src/plugin/create-provider';
import { Obstacles } from '../../../server/src/plugin/obstacles';
import { application } from '../config/application';
import { ROOT } from '../../application/paths';

const boot = (user: unknown, strapi: unknown): Promise<unknown> =>
  createProvider(strapi as Core.Strapi, resolveConfig(user, application()), new Obstacles(), {}, () => undefined);

/** A configuration that stops the boot, in the three steps in which the boot reads it. That it stops: spec-boot. */
const failure = async (user: unknown, environment = 'development'): Promise<ConfigurationError> => {
  const strapi = {
    dirs: { app: { root: ROOT }, dist: { root: ROOT } },
    config: { get: () => environment },
  };
  try {
    parseConfig(user);
    await boot(user, strapi);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('accepted');
};

it.each<[what: string, user: unknown, message: string, environment?: string]>([
  [
    'a store that speaks the language of Redis',
    { provider: { name: 'valkey' }, strategy: {} },
    'provider.name "valkey": it understands what Redis does; write provider.name: "redis".',
  ],
  [
    'the same in other letters',
    { provider: { name: 'KeyDB' }, strategy: {} },
    'provider.name "KeyDB": it understands what Redis does; write provider.name: "redis".',
  ],
  [
    'a module that makes no provider, and names the one that was meant',
    { provider: { name: 'ioredis' }, strategy: {} },
    'provider.name "ioredis": createProvider(options, settings) has failed (did you mean "redis"?)',
  ],
  [
    'a URL in place of a name, without what it holds',
    { provider: { name: 'redis://:hunter2@cache:6379' } },
    'problem:\n  - provider.name is a URL; write provider.name: "redis", and the URL into provider.options.connection.',
  ],
  [
    'a function of its own that fails',
    { provider: { instance: () => Promise.reject(new Error('no disk')) } },
    'provider.instance: it has failed: Error: no disk.',
  ],
  [
    'a function of its own that makes no provider',
    { provider: { instance: () => ({ name: 'mine' }) } },
    'provider.instance: the provider has no lookup',
  ],
  [
    'in production, an address of Redis from a variable that is not set',
    { provider: { name: 'redis', options: { connection: { host: undefined } } }, strategy: {} },
    'provider.options.connection.host is undefined. Is the environment variable that it is read from set?',
    'production',
  ],
])('the boot stops, with one line that says what to write: %s', async (_what, user, expected, environment) => {
  const { message, stack } = await failure(user, environment);
  expect(message).toMatch(/^The configuration of "rest-cache" in config\/plugins has a problem:/);
  expect(message).toContain(expected);
  // Strapi logs the stack as well.
  expect(stack).toBe('');
  expect(message).not.toMatch(/^\s+at |Require stack|hunter2/m);
});
