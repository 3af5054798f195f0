import { describe, expect, it } from 'vitest';
import type { EdgePurge } from '../../../server/src/cache/edge-purge';
import { tag } from '../../../server/src/cache/tag';
import { resolveConfig } from '../../../server/src/config/resolve';
import { TableCatalog } from '../../../server/src/database/table-catalog';
import { systemClock } from '../../../server/src/cache/clock';
import { Metrics } from '../../../server/src/monitor/metrics';
import { prometheusRegistry } from '../../../server/src/monitor/prometheus';
import { createEdge } from '../../../server/src/plugin/create-edge';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { application } from '../config/application';

const ARTICLE = 'api::article.article';

describe('with a provider that does not know what the edge was given', () => {
  it.each([
    ['every key where answers may be shared', { keys: {} }, 2],
    [
      'every key where those of GraphQL may',
      { hitpass: false, keys: { useAuth: true }, graphql: { hitpass: true, keys: {} } },
      2,
    ],
    ['nothing where each caller has answers of their own', { hitpass: false, keys: { useAuth: true } }, 1],
  ])('a write purges %s', async (_what, settings, expected) => {
    const purges: EdgePurge[] = [];
    const edge = {
      header: 'xkey',
      targets: [{ name: 'function', purge: (purge: EdgePurge) => void purges.push(purge) }],
    };
    const config = resolveConfig({ strategy: { ...settings, contentTypes: [ARTICLE], edge } }, application());
    const created = createEdge({} as never, new TableCatalog({ tables: [] }), config, undefined, () => undefined);
    await created?.start();
    await created?.purge([tag('articles#1')]);
    await created?.close();
    // The start purges everything.
    expect(purges).toHaveLength(expected);
  });
});

it('two targets of one kind are told apart, in the log and by each metric', async () => {
  const lines: string[] = [];
  const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) } as never;
  const purge = (): never => {
    throw new Error('away');
  };
  const edge = {
    header: 'xkey',
    timeout: 500,
    targets: [
      { name: 'function', purge },
      { name: 'function', purge },
    ],
  };
  const config = resolveConfig({ strategy: { contentTypes: [ARTICLE], edge } }, application());
  const created = createEdge(log, new TableCatalog({ tables: [] }), config, undefined, () => undefined);
  await created?.start();
  expect(lines.map((line) => /target (.*) has not/.exec(line)?.[1])).toEqual(['function', 'function 2']);
  const provider = new MemoryProvider({ clock: systemClock });
  const registry = await prometheusRegistry(new Metrics(), provider, true, created?.targets);
  const behind = (await registry.metrics()).split('\n').filter((line) => line.startsWith('rest_cache_edge_behind{'));
  expect(behind).toEqual([
    'rest_cache_edge_behind{target="function"} 1',
    'rest_cache_edge_behind{target="function 2"} 1',
  ]);
  await created?.close();
});
