import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ContentTypeConfig } from '../../server/src/config/user-config';
import { grantedDatabase } from './granted-database';
import { removeApplications, reportOf, runCheck, runCommand, writeApplication } from './run-check';

const PURGE = 'plugin::rest-cache.purge.contentApi';
const COMMUNITY = ['@strapi-community/plugin-rest-cache', '@strapi-community/provider-rest-cache-memory'];

afterAll(removeApplications);

describe.concurrent('check', () => {
  it('says of a configuration of @strapi-community/plugin-rest-cache what stays, what differs and who keeps a grant, also in TypeScript', async () => {
    const written = { configuration: 'plugin-rest-cache', dependencies: COMMUNITY };
    const [directory, uncompiled] = [writeApplication(written), writeApplication({ ...written, typescript: true })];
    const granted = {
      roles: { public: ['api::ferry.ferry.find', 'api::ferry.ferry.findOne', PURGE], authenticated: [PURGE] },
      tokens: { 'The timetable': [PURGE] },
    };
    for (const each of [directory, uncompiled]) grantedDatabase(each, granted).close();
    const [{ code, report, isUntouched }, typescript] = await Promise.all([
      reportOf(directory),
      reportOf(uncompiled, [], { HULL: path.join('..', '..') }),
    ]);
    expect([typescript.code, typescript.isUntouched]).toEqual([0, true]);
    expect({ ...typescript.report, application: undefined }).toEqual({ ...report, application: undefined });
    expect([code, isUntouched, report.from, report.packages]).toEqual([0, true, 'plugin-rest-cache', COMMUNITY]);

    const outcomeOf = (option: string): string[] =>
      report.options.filter(({ options }) => options.includes(option)).map(({ outcome }) => outcome);
    expect(outcomeOf('strategy.maxAge')).toEqual(['same']);
    expect(outcomeOf('strategy.hitpass')).toEqual(['same']);
    expect(outcomeOf('strategy.contentTypes[2].hitpass')).toContain('differs');
    expect(outcomeOf('strategy.contentTypes[2].routes[2].method')).toEqual(['none']);
    expect(outcomeOf('provider.options.updateAgeOnGet')).toEqual(['none']);

    expect(report.routes.map(({ path: route, lane, blockedBy }) => [route, lane, blockedBy])).toEqual([
      ['/api/office', 'route', 'its hitpass function'],
      ['/api/upload/files', 'route', 'its hitpass function'],
      ['/api/upload/files/:id', 'route', 'its hitpass function'],
      ['/api/ferries', 'front', null],
      ['/api/ferries/:id', 'front', null],
      ['/api/boards/departures', 'front', null],
      ['/api/boards/crew', 'route', 'its policy global::on-duty'],
    ]);
    expect(report.handlers).toEqual([
      {
        path: '/api/boards/departures',
        who: 'its handler api::board.board.departures',
        reads: ['x-quay'],
        unobserved: [],
      },
      {
        path: '/api/boards/departures',
        who: 'the service api::board.board.tide',
        reads: [],
        unobserved: ['another server'],
      },
      { path: '/api/boards/crew', who: 'policy global::on-duty', reads: ['x-badge'], unobserved: [] },
    ]);
    const told = (report.grants ?? []).join('\n');
    expect(told).toContain(
      'The role "Authenticated", the API token "The timetable" may call POST /api/rest-cache/purge',
    );
    expect(told).toContain('The role "Public" is granted plugin::rest-cache.purge.contentApi, which has no effect');
    expect(told).toContain('GET /api/boards/crew: the role "Public" is not granted api::board.board.crew');
    expect(told).not.toContain('GET /api/ferries:');
  });

  it('ends with 1 where callers could see what is not theirs', async () => {
    const directory = writeApplication({ configuration: 'unsafe' });
    const { code, output, isUntouched } = await runCheck(directory);
    expect([code, isUntouched]).toEqual([1, true]);
    expect(output).toContain('"api::ferry.ferry": hitpass is false, so requests with credentials are cached');
    expect(output).toContain('strategy.keys.useHeaders holds "authorization"');
    expect(output).toContain('docs/signed-in-users.md#hitpass-false-alone-is-dangerous');
    expect(output).toContain('GET /api/ferries  (api::ferry.ferry, 3600000 ms, ALL CALLERS SHARE ONE RESPONSE');
    expect(output).toContain('its file ferries.db does not exist yet');
  });

  it('knows no grants where Strapi has never started on the database', async () => {
    const { report } = await reportOf(writeApplication({ configuration: 'unsafe', files: { '.tmp/ferries.db': '' } }));
    expect([report.grants, report.grantsUnknown]).toEqual([null, expect.stringContaining('it has no roles yet')]);
  });

  it('translates a configuration of strapi-cache, without its password', async () => {
    const directory = writeApplication({ configuration: 'strapi-cache', dependencies: ['strapi-cache'] });
    const db = grantedDatabase(directory, {
      adminRoles: { 'strapi-editor': ['plugin::strapi-cache.purge-cache'] },
      writeAhead: true,
    });
    const { code, output, report, isUntouched } = await reportOf(directory).finally(() => db.close());
    expect([code, isUntouched, report.from]).toEqual([0, true, 'strapi-cache']);
    expect(output).not.toContain('secret');
    expect(report.instead).toEqual({
      provider: { name: 'redis', getTimeout: 1000, options: { connection: '…' } },
      strategy: {
        maxAge: 120_000,
        resetOnStartup: true,
        hitpass: false,
        keys: { useAuth: true },
        contentTypes: [{ contentType: 'api::ferry.ferry', routes: ['/api/boards/departures'] }],
      },
    });
    expect(report.routes.map(({ path: route, sharing }) => [route, sharing])).toEqual([
      ['/api/ferries', 'keyed'],
      ['/api/ferries/:id', 'keyed'],
      ['/api/boards/departures', 'keyed'],
    ]);
    expect(report.grants?.join('\n')).toContain(
      'The admin role "Editor" purges with strapi-cache: grant plugin::rest-cache.cache.purge',
    );
  });

  it('proposes of strapi-cache no users, puts no route under the type of a plugin, and says what is left out and which URLs it excludes that no route is told apart by', async () => {
    const plugins = `module.exports = { 'strapi-cache': { enabled: true, config: { excludeRoutes: ${JSON.stringify([
      '/api/ferries/5',
      '/admin',
    ])} } } };`;
    const { report } = await reportOf(writeApplication({ files: { 'config/plugins.js': plugins } }));
    const excluded = report.warnings.map(({ text }) => text).filter((text) => text.includes('excludeRoutes'));
    expect(excluded).toEqual([expect.stringContaining('no route begins with /api/ferries/5.')]);
    expect(JSON.stringify(report.instead)).not.toContain('users-permissions');
    const types = (report.instead as { strategy: { contentTypes: readonly ContentTypeConfig[] } }).strategy
      .contentTypes;
    for (const { contentType, routes = [] } of types.filter(({ contentType: uid }) => uid.startsWith('plugin::')))
      expect([contentType, routes.filter((route) => JSON.stringify(route).includes('/boards/'))]).toEqual([
        contentType,
        [],
      ]);
    const leftOut = report.warnings.filter(({ text }) => text.startsWith('strapi-cache caches'));
    expect(leftOut.length).toBeLessThanOrEqual(2);
    expect(leftOut.map(({ text }) => text).join()).toMatch(/GET \/api\/users.*users, roles and tokens are not for/);
  });

  it('says without --from what becomes of each option, each once, on lines that a terminal shows whole, also where TypeScript has left only what is compiled', async () => {
    const { code, report, isUntouched } = await reportOf(
      writeApplication({ configuration: 'plugin-rest-cache', typescript: 'built' }),
    );
    expect([code, isUntouched, report.routes.length]).toEqual([0, true, 7]);
    expect([report.from, report.options.length > 3]).toEqual([null, true]);
    const same = report.options.filter(({ outcome }) => outcome === 'same').flatMap(({ options }) => options);
    const others = report.options.filter(({ outcome }) => outcome !== 'same').flatMap(({ options }) => options);
    const patterns = new Set(others.map((option) => option.replace(/\[\d+\]/g, '[]')));
    expect(same.filter((option) => others.includes(option) || patterns.has(option))).toEqual([]);
    expect(same.length).toBeGreaterThan(5);
    const { output: printed } = await runCheck(writeApplication({ configuration: 'plugin-rest-cache' }));
    expect(printed).toContain('Options, if they were written for @strapi-community/plugin-rest-cache');
    expect(printed.split('\n')[0]?.length).toBeLessThan(100);
  });

  it('knows a handler that sets a cookie from one that reads it, and a middleware by its path', async () => {
    const { report } = await reportOf(
      writeApplication({
        configuration: 'ours',
        files: {
          'config/middlewares.js': "module.exports = ['strapi::errors', { resolve: './src/middlewares/tide' }];",
          'src/middlewares/tide.js': 'module.exports = () => (ctx, next) => next();',
          'src/api/board/controllers/board.js':
            "module.exports = { crew(ctx) { ctx.cookies.set('seen', '1'); ctx.body = {}; }, departures() {} };",
        },
      }),
    );
    expect(report.handlers.filter(({ reads }) => reads.includes('cookie'))).toEqual([]);
    expect(report.lane?.reason).toBe('./src/middlewares/tide has to see every request');
    expect(report.lane?.advice).toContain("repeatableMiddlewares: ['./src/middlewares/tide']");
  });

  it.each([undefined, true])('reads an application of ES modules (TypeScript: %s)', async (typescript) => {
    const { code, report, isUntouched } = await reportOf(
      writeApplication({
        configuration: 'ours',
        isModules: true,
        typescript,
        files: {
          [`src/quay.${typescript ? 'cts' : 'cjs'}`]: "exports.quay = 'x-quay';",
          'src/index.js': "import { quay } from './quay.cjs';\nexport default { register: () => quay };",
        },
      }),
    );
    expect([code, isUntouched, report.routes.length]).toEqual([0, true, 4]);
  });

  it('says of our own what is cached, where a middleware of its own keeps it behind and no database answers', async () => {
    const directory = writeApplication({
      configuration: 'ours',
      files: {
        'config/database.js':
          "module.exports = { connection: { client: 'postgres', connection: { host: '127.0.0.1', port: 9 } } };",
        'src/index.js': 'module.exports = { register({ strapi }) { strapi.server.use((ctx, next) => next()); } };',
        'config/middlewares.js': "module.exports = ['strapi::errors', { name: 'global::tide' }];",
        'src/middlewares/tide.js':
          "module.exports = () => (ctx, next) => (ctx.ip && ctx.get('x-request-id') !== Math.random() ? next() : undefined);",
      },
    });
    const { code, report, isUntouched } = await reportOf(directory);
    expect([code, isUntouched, report.from]).toEqual([0, true, null]);
    expect(report.lane).toMatchObject({ mode: 'route', reason: 'global::tide has to see every request' });
    expect(report.routes.map(({ path: route, sharing, maxAge }) => [route, sharing, maxAge])).toEqual([
      ['/api/ferries', 'keyed', 30_000],
      ['/api/ferries/:id', 'keyed', 30_000],
      ['/api/office', 'public', 3_600_000],
      ['/api/boards/crew', 'public', 3_600_000],
    ]);
    expect(report.handlers).toContainEqual({
      who: 'global::tide',
      reads: ["the caller's address (remote-address)"],
      unobserved: [],
    });
    expect(report.warnings.map(({ text }) => text).join()).toContain('src/index: register() adds a middleware');
    expect(report.grants).toBeNull();
    expect(report.grantsUnknown).toMatch(/ECONNREFUSED|timeout/i);
  });

  it('knows that nobody is authenticated on a route that says auth: false, and that a plugin may be switched off', async () => {
    const contentTypes = [
      {
        contentType: 'api::office.office',
        routes: [{ path: '/boards/crew', hitpass: false, keys: { useAuth: true } }],
      },
    ];
    const directory = writeApplication({
      files: {
        'config/plugins.js': `module.exports = { 'rest-cache': { enabled: false, config: { strategy: { contentTypes: ${JSON.stringify(contentTypes)} } } } };`,
        'src/api/board/routes/board.js':
          "module.exports = { routes: [{ method: 'GET', path: '/boards/crew', handler: 'board.crew', config: { auth: false } }] };",
        'src/api/board/controllers/board.js':
          "module.exports = { crew(ctx) { ctx.body = { asked: ctx.get('Authorization') === '' }; } };",
      },
    });
    const { code, report } = await reportOf(directory);
    expect(code).toBe(0);
    expect(report.routes.find(({ path: route }) => route === '/api/boards/crew')?.sharing).toBe('public');
    // Requests with an Authorization header bypass the cache on this route.
    expect(report.handlers).toEqual([]);
    expect(report.warnings.map(({ text }) => text).join()).toContain('Strapi does not load the plugin');
  });

  it.each([
    [undefined, ['/api/ferries', '/api/ferries/:id']],
    [
      "module.exports = { 'rest-cache': { config: { strategy: { contentTypes: ['api::office.office'] } } } };",
      ['/api/office'],
    ],
  ])(
    'waits for an async config/plugins as Strapi does: not beside another of the environment (%s)',
    async (other, routes) => {
      const files = {
        'config/plugins.js':
          "module.exports = async () => ({ 'rest-cache': { config: { strategy: { contentTypes: ['api::ferry.ferry'] } } } });",
        ...(other === undefined ? {} : { 'config/env/development/plugins.js': other }),
      };
      const { code, report } = await reportOf(writeApplication({ files }));
      expect([code, report.routes.map(({ path: route }) => route)]).toEqual([0, routes]);
    },
  );

  it('says of a config that is a function that Strapi passes nothing of it on', async () => {
    const plugins = "module.exports = { 'rest-cache': { config: ({ env }) => ({ strategy: {} }) } };";
    const { code, report } = await reportOf(writeApplication({ files: { 'config/plugins.js': plugins } }));
    expect([code, report.problems]).toEqual([0, []]);
    expect(report.warnings.map(({ text }) => text).join()).toContain('config is a function in config/plugins');
  });

  it('takes false in config/plugins for a plugin that is switched off', async () => {
    const { code, report } = await reportOf(
      writeApplication({ files: { 'config/plugins.js': "module.exports = { 'rest-cache': false };" } }),
    );
    expect(code).toBe(0);
    expect(report.warnings.map(({ text }) => text).join()).toContain('Strapi does not load the plugin');
  });

  it('ends with 2 and lists what is wrong with a broken one', async () => {
    const { code, output, isUntouched } = await runCheck(writeApplication({ configuration: 'broken' }), [
      '--from',
      'plugin-rest-cache',
    ]);
    expect([code, isUntouched]).toEqual([2, true]);
    expect(output).not.toContain('- the same: ');
    expect(output).toContain('provider.nane is not an option; did you mean "name"?');
    expect(output).toContain('strategy.enableETagg is not an option; did you mean "enableEtag"?');
    expect(output).toContain('strategy.maxAge is "60000"; expected a number of milliseconds');
  });

  it('loads the provider as the boot does, also in TypeScript', async () => {
    const written = (name: string, typescript?: true): string => {
      const plugins = `module.exports = () => ({ 'rest-cache': { config: { provider: { name: '${name}' }, strategy: { contentTypes: ['api::ferry.ferry'] } } } });`;
      const provider = 'module.exports = () => { throw new Error("not to be called"); };';
      return writeApplication({ files: { 'config/plugins.js': plugins, 'src/file-cache.js': provider }, typescript });
    };
    const directories = [written('./src/file-cache'), written('./src/file-cache', true), written('./src/fil-cache')];
    const [found, inTypeScript, absent] = await Promise.all(directories.map((directory) => runCheck(directory)));
    expect([found?.code, inTypeScript?.code, absent?.code]).toEqual([0, 0, 2]);
    expect(absent?.output).toContain('provider.name "./src/fil-cache": neither "memory" nor "redis" nor a module');
  });

  it.each([
    ['strapi-cache', 'rest-cache', 'ours'],
    ['plugin-rest-cache', 'strapi-cache', 'strapi-cache'],
  ])('ends with 2 where --from names %s and config/plugins has %s', async (from, other, configuration) => {
    const { code, output } = await runCheck(writeApplication({ configuration }), ['--from', from]);
    expect(code).toBe(2);
    expect(output).toContain(`which --from ${from} reads; leave --from out to read its "${other}".`);
  });

  it('says of strapi-cache beside our own what the boot says, unless it is switched off', async () => {
    const saidOf = async (theirs: string): Promise<string> => {
      const plugins = `module.exports = { 'rest-cache': { config: {} }, 'strapi-cache': ${theirs} };`;
      const { report } = await reportOf(writeApplication({ files: { 'config/plugins.js': plugins } }));
      return report.warnings.map(({ text }) => text).join();
    };
    expect(await saidOf('{ enabled: true }')).toContain('strapi-cache is enabled as well.');
    expect(await saidOf('false')).not.toContain('strapi-cache');
  });

  it('says of strapi-cache that nothing is cached where its routes are none, not that it has no configuration', async () => {
    const plugins = "module.exports = { 'strapi-cache': { config: { cacheableRoutes: ['/api/feries'] } } };";
    const { report } = await reportOf(writeApplication({ files: { 'config/plugins.js': plugins } }));
    const told = report.warnings.map(({ text }) => text).join();
    expect(told).toContain('nothing is cached, because strategy.contentTypes names nothing.');
  });

  it.each([
    ["module.exports = { 'rest-cach': { enabled: false } };", 'there is "rest-cach", did you mean "rest-cache"?'],
    ["require('@strapi-community/plugin-rest-cache/types');", 'from config/plugins'],
    [
      "const strategy = {}; strategy.self = strategy; module.exports = { 'rest-cache': { config: { strategy } } };",
      'strategy.self is not an option',
    ],
    ['module.exports = () => undefined;', 'config/plugins has neither "rest-cache" nor "strapi-cache"'],
    ["module.exports = { 'rest-cache': null };", '"rest-cache" in config/plugins is null; expected an object'],
    [
      "module.exports = { 'strapi-cache': { config: { excludeRoutes: null, cacheableRoutes: '/api', ttl: '5' } } };",
      'cacheableRoutes is "/api"; expected a list of strings.\n  - excludeRoutes is null; expected a list of strings.\n  - ttl is "5"; expected a number.',
    ],
    [
      "try { require('node:fs').writeFileSync(`${__dirname}/left`, ''); } catch {} require('node:child_process').execSync('touch left');",
      'check forbids this',
    ],
  ])('ends with 2 where config/plugins is %s', async (plugins, expected) => {
    const { code, output, errors, isUntouched } = await runCheck(
      writeApplication({ files: { 'config/plugins.js': plugins } }),
    );
    expect([code, isUntouched]).toEqual([2, true]);
    expect(output + errors).toContain(expected);
  });

  it.each<[args: readonly string[], code: number, said: RegExp]>([
    [['--help'], 0, /^Usage: strapi-plugin-response-cache check \[--from /],
    [['check', '--help'], 0, /^Usage: /],
    [[], 2, /^Usage: /],
    [['check', '--colour'], 2, /--colour[^]*\n\nUsage: /],
    [['check', '--from', 'strapi-cach'], 2, /expected plugin-rest-cache, .*; did you mean "strapi-cache"\?$/m],
    [
      ['check', '--from', 'x'],
      2,
      /^--from is "x"; expected plugin-rest-cache, strapi-cache, strapi-plugin-rest-cache$/m,
    ],
  ])('says how it is called: %j', async (args, expected, said) => {
    const { code, output, errors } = await runCommand(writeApplication({}), args);
    expect([code, expected === 0 ? output : errors]).toEqual([expected, expect.stringMatching(said)]);
  });
});
