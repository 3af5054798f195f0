import { afterEach, expect, it, vi } from 'vitest';
import { ORIGINS } from '../../../check/moves';
import { reportOptions } from '../../../check/option-report';
import { translateStrapiCache } from '../../../check/translate-strapi-cache';

const NONE = { contentTypes: {}, components: {}, routes: [], restPrefix: '/api' };

const optionsOf = (written: Parameters<typeof translateStrapiCache>[0]): unknown =>
  translateStrapiCache({ provider: 'redis', ...written }, NONE).config.provider?.options;

afterEach(() => {
  vi.unstubAllEnvs();
});

it('keeps password and TLS for the nodes of a cluster', () => {
  const redisClusterNodes = [{ host: 'one', port: 6379 }];
  const redisConfig = { password: 'sesame', tls: {} };
  expect(optionsOf({ redisConfig, redisClusterNodes })).toEqual({
    cluster: { nodes: redisClusterNodes, options: { redisOptions: redisConfig } },
  });
  const redisClusterOptions = { scaleReads: 'all', redisOptions: { password: 'own' } };
  expect(optionsOf({ redisConfig, redisClusterNodes, redisClusterOptions })).toEqual({
    cluster: { nodes: redisClusterNodes, options: redisClusterOptions },
  });
});

it('connects to REDIS_URL where no address is written', () => {
  vi.stubEnv('REDIS_URL', 'redis://elsewhere:6379');
  expect(optionsOf({})).toEqual({ connection: 'redis://elsewhere:6379' });
  expect(optionsOf({ redisConfig: 'redis://written:6379' })).toEqual({ connection: 'redis://written:6379' });
});

it('says what becomes of the list of nodes as a whole, and that an option which nobody knows has no effect', () => {
  const origin = ORIGINS.find(({ name }) => name === 'strapi-cache');
  const written = { redisClusterNodes: [{ host: 'one', port: 6379 }], tlt: 1000 };
  const told = (origin === undefined ? [] : reportOptions(written, origin)).map(({ options, outcome }) => [
    outcome,
    options,
  ]);
  expect(told).toEqual([
    ['none', ['tlt']],
    ['write', ['redisClusterNodes']],
  ]);
});
