import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../server/src/config/resolve';
import { strategyToJson } from '../../../server/src/config/resolved-config';
import { application } from './application';

const APPLICATION = { contentTypes: {}, components: {}, routes: [], restPrefix: '' };
const ARTICLE = 'api::article.article';
const VARNISH = { name: 'varnish', url: 'http://127.0.0.1:6081' };
const FASTLY = { name: 'fastly', serviceId: 's', token: 'secret-token' };

const resolve = (edge: object, strategy: object = {}) =>
  resolveConfig({ strategy: { ...strategy, edge } }, APPLICATION);

describe('strategy.edge', () => {
  it('has defaults, and tells other caches what not to keep', () => {
    const { strategy, edgeTargets } = resolve({ header: 'xkey', targets: [VARNISH] });
    expect(strategy.edge).toEqual({
      mode: 'purge',
      header: 'xkey',
      maxHeaderBytes: 2048,
      maxAge: 'config',
      lifetimeHeader: 'Cache-Control',
      timeout: 1000,
      whileUnreachable: 60_000,
    });
    expect([strategy.cacheControl.enabled, edgeTargets]).toEqual([true, [VARNISH]]);
  });

  it('is shown without what its targets are reached with', () => {
    const config = resolve({ header: 'Surrogate-Key', targets: [FASTLY] });
    expect(JSON.stringify(strategyToJson(config.strategy))).not.toContain('secret-token');
  });

  it.each<[edge: object, expected: string, strategy?: object]>([
    [{ targets: [VARNISH] }, 'strategy.edge.header is missing; expected the response header'],
    [{ header: 'xkey' }, 'strategy.edge.targets is empty, so the edge would keep answers that nobody purges'],
    [{ mode: 'revalidate' }, 'strategy.edge.mode is "revalidate", but strategy.enableEtag is not true'],
    [{ mode: 'revalidate', targets: [VARNISH] }, 'strategy.edge.targets have nothing to purge with mode: "revalidate"'],
    [
      { header: 'xkey', targets: [VARNISH] },
      'strategy.cacheControl.enabled is false, but strategy.edge needs Cache-Control',
      { cacheControl: { enabled: false } },
    ],
    [{ header: 'x key' }, 'strategy.edge.header is "x key"; expected the name of a response header'],
    [{ heder: 'xkey' }, 'strategy.edge.heder is not an option; did you mean "header"?'],
    [{ maxHeaderBytes: 10 }, 'strategy.edge.maxHeaderBytes is 10; expected a number of bytes, 64 or greater'],
    [{ whileUnreachable: -1 }, 'strategy.edge.whileUnreachable is -1; expected a number of milliseconds, 0 or greater'],
    [{ timeout: 0 }, 'strategy.edge.timeout is 0; expected a number of milliseconds'],
    [{ lifetimeHeader: 'CDN-Cache' }, 'strategy.edge.lifetimeHeader is "CDN-Cache"; expected "Cache-Control" or'],
    [
      { targets: [{ name: 'varnisch' }] },
      'strategy.edge.targets[0].name is "varnisch"; expected "varnish", "fastly", "cloudflare", "webhook" or ' +
        '"function"; did you mean "varnish"?',
    ],
    [{ targets: ['varnish'] }, 'strategy.edge.targets[0] is a string; expected an object whose name is "varnish", "f'],
    [
      { targets: [{ ...VARNISH, token: 't' }] },
      'strategy.edge.targets[0].token is not an option; accepted are name, url, method (the nearest is "',
    ],
    [{ targets: [{ ...VARNISH, headers: {} }] }, 'strategy.edge.targets[0].headers is not an option; accepted are'],
    [{ targets: [{ name: 'varnish' }] }, 'strategy.edge.targets[0].url is missing; expected an address'],
    [
      { header: 'xkey', targets: [{ ...VARNISH, url: 'http://me:secret@127.0.0.1:6081' }] },
      'strategy.edge.targets[0].url is a string; expected an address without user and password',
    ],
    [
      { targets: [{ ...FASTLY, token: '' }] },
      'strategy.edge.targets[0].token is an empty string; expected a string that is not',
    ],
    [{ targets: [{ ...VARNISH, urls: 'x' }] }, 'strategy.edge.targets[0].urls is not an option; did you mean "url"?'],
    [{ targets: [{ name: 'function' }] }, 'strategy.edge.targets[0].purge is missing; expected a function'],
  ])('%j stops the boot', (edge, expected, strategy) => {
    expect(() => resolve(edge, strategy)).toThrow(expected);
  });

  it('needs nobody to purge where the edge asks each time', () => {
    const { strategy, edgeTargets } = resolve({ mode: 'revalidate' }, { enableEtag: true });
    expect([strategy.edge?.mode, strategy.edge?.header, edgeTargets]).toEqual(['revalidate', '', []]);
  });

  const purged = { header: 'xkey', targets: [VARNISH] };
  const perCaller = { hitpass: false, keys: { useAuth: true } };
  const decides = { hitpass: ({ query }: { query: { fresh?: string } }) => query.fresh === '1', keys: {} };
  it.each<[description: string, settings: object, edge: object, isWarned: boolean]>([
    ['every caller has answers of their own', perCaller, purged, true],
    ['and where the edge would ask', perCaller, { mode: 'revalidate' }, true],
    ['a credential is in the key', { keys: { useHeaders: ['authorization'] } }, purged, true],
    ['a hitpass function decides', decides, purged, true],
    ['not where the edge asks each time', decides, { mode: 'revalidate' }, false],
    ['not where routes are shared', {}, purged, false],
    [
      'nor where one route is',
      {
        ...perCaller,
        contentTypes: [
          { contentType: ARTICLE, routes: [{ path: '/api/articles/featured', keys: { useAuth: false } }] },
        ],
      },
      purged,
      false,
    ],
    ['nor where GraphQL is', { ...perCaller, graphql: { hitpass: true, keys: {} } }, purged, false],
    ['nor where nothing is cached', { ...perCaller, contentTypes: [] }, purged, false],
  ])('is warned of where it gets nothing: %s', (_description, settings, edge, isWarned) => {
    const strategy = { enableEtag: true, contentTypes: [ARTICLE], ...settings, edge };
    const { warnings } = resolveConfig({ strategy }, application());
    expect(warnings.some(({ code }) => code === 'useless-edge')).toBe(isWarned);
  });
});
