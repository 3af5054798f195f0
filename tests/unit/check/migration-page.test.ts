import { describe, expect, it } from 'vitest';
import { ORIGINS } from '../../../check/moves';
import { reportOptions, SPECIAL } from '../../../check/option-report';

describe('the tables of docs/migrating.md', () => {
  it('are found, each with its rows', () => {
    const sizes = ORIGINS.map(({ name, options, beside }) => [name, options.length > 2, beside.length > 2]);
    expect(sizes).toEqual(ORIGINS.map(({ name }) => [name, true, true]));
    for (const { there, here } of ORIGINS.flatMap(({ options, beside }) => [...options, ...beside]))
      expect([there, here]).not.toContain('');
  });

  it.each(Object.keys(SPECIAL))('have one row that begins with %j', (beginning) => {
    const [{ options } = { options: [] }] = ORIGINS;
    expect(options.filter(({ there }) => there.startsWith(beginning))).toHaveLength(1);
  });

  it('say of every option of theirs what becomes of it', () => {
    const [community, strapiCache] = ORIGINS;
    const outcomes = (config: object, origin = community) =>
      reportOptions(config, origin ?? { options: [] }).map(({ options, outcome }) => [options.join(), outcome]);
    expect(
      outcomes(
        {
          provider: 'valkey',
          redisConfig: { host: 'x', max: 1 },
          ttl: 1,
          cacheAuthorizedRequests: false,
          cacheHeadersAllowList: ['x'],
          max: 1,
        },
        strapiCache,
      ),
    ).toEqual([
      ['ttl', 'write'],
      ['max', 'write'],
      ['provider,redisConfig', 'write'],
      ['cacheAuthorizedRequests', 'none'],
      ['cacheHeadersAllowList', 'none'],
    ]);
    expect(
      outcomes({
        provider: { name: 'Redis', max: 3, getTimeout: 4, options: { useRedisSets: true, ttl: 5, max: 6 } },
        strategy: {
          hitpass: true,
          contentTypes: [
            'plugin::upload.file',
            { contentType: 'api::a.a', plugin: 'x', hitpass: () => false, maxAge: 7 },
          ],
        },
      }),
    ).toEqual([
      ['strategy.contentTypes[].contentType', 'same'],
      ['strategy.hitpass', 'differs'],
      ['strategy.contentTypes[1].hitpass,strategy.contentTypes[1].maxAge', 'differs'],
      ['strategy.contentTypes[0]', 'differs'],
      ['strategy.contentTypes[1].plugin', 'none'],
      ['provider.name', 'same'],
      ['provider.max', 'write'],
      ['provider.getTimeout', 'differs'],
      ['provider.options.useRedisSets,provider.options.ttl,provider.options.max', 'none'],
    ]);
    expect(outcomes({ provider: { name: 'memory', options: { ttl: 5, max: 6 } } })).toEqual([
      ['provider.name,provider.options.max', 'same'],
      ['provider.options.ttl', 'none'],
    ]);
  });
});
