import { describe, expect, it } from 'vitest';
import type { EdgePurge } from '../../../server/src/cache/edge-purge';
import { tag } from '../../../server/src/cache/tag';
import { resolveConfig } from '../../../server/src/config/resolve';
import { TableCatalog } from '../../../server/src/database/table-catalog';
import { createEdge } from '../../../server/src/plugin/create-edge';
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
