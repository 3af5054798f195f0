import { expect, it } from 'vitest';
import { reportOptions } from '../../../check/option-report';

const optionsOf = (config: object): readonly string[] =>
  reportOptions(config, { options: [] }).flatMap(({ options }) => options);

it('lists the options of a configuration that refers to itself, each once', () => {
  const strategy: Record<string, unknown> = { maxAge: 1000 };
  const list: unknown[] = [strategy];
  list.push(list);
  Object.assign(strategy, { contentTypes: list });
  expect(optionsOf({ strategy })).toEqual(['strategy.maxAge', 'strategy.contentTypes[]']);
});

it('lists the options of an object that stands in two places in both', () => {
  const keys = { useAuth: true };
  const contentTypes = [{ contentType: 'api::article.article', keys }];
  expect(optionsOf({ strategy: { keys, contentTypes } })).toEqual([
    'strategy.keys.useAuth',
    'strategy.contentTypes[].contentType',
    'strategy.contentTypes[].keys.useAuth',
  ]);
});

it('does not look into an object of a class of its own, such as a connection', () => {
  class Redis {
    readonly parts: unknown[] = [];
  }
  const client = new Redis();
  // The ways through objects that know each other are too many to follow.
  const parts = Array.from({ length: 30 }, () => ({ parts: client.parts }));
  client.parts.push(...parts);
  expect(optionsOf({ provider: { client } })).toEqual(['provider.client']);
});
