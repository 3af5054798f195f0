import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { strategyToJson } from '../../../server/src/config/resolved-config';
import { application } from './application';

const SECRET = 'hunter2';
const URL = `redis://user:${SECRET}@host:6379`;

it.each<[description: string, user: unknown]>([
  ['in place of the provider', { provider: URL }],
  ['in place of the provider name', { provider: { name: [URL] } }],
  ['in place of the provider options', { provider: { options: URL } }],
  ['in a field of the options', { provider: { options: { maxSize: URL } } }],
  ['in an option that does not exist', { provider: { url: URL } }],
  ['in an option that does not exist, at the top', { redis: { url: URL } }],
  ['in a provider that is none', { provider: { instance: { url: URL } } }],
  ['next to a mistake', { provider: { name: 7, options: { url: URL } } }],
  ['in place of the edge', { strategy: { edge: URL } }],
  ['in place of the metrics', { metrics: SECRET }],
  ['in place of the Prometheus secret', { metrics: { prometheusSecret: [SECRET] } }],
])('a credential %s is not in the message', (_description, user) => {
  let thrown: unknown;
  try {
    resolveConfig(user, application());
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect(String((thrown as Error).message)).not.toContain(SECRET);
  expect(JSON.stringify(thrown)).not.toContain(SECRET);
  expect((thrown as Error).cause).toBeUndefined();
});

it('the strategy as JSON and the warnings hold nothing of the provider', () => {
  const resolved = resolveConfig(
    { provider: { name: 'redis', options: { url: URL } }, metrics: { prometheusSecret: SECRET } },
    application(),
  );
  expect(JSON.stringify([strategyToJson(resolved.strategy), resolved.warnings])).not.toContain(SECRET);
});
