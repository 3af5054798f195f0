const { readdirSync } = require('node:fs');
const path = require('node:path');

const patrons = require('../src/api/event/patrons');

const reads = path.join(__dirname, '../src/api/board/reads');

const board = () =>
  readdirSync(reads)
    .flatMap((file) => Object.keys(require(path.join(reads, file))))
    .map((name) => `/api/board/${name}`);

const perCaller = { hitpass: false, keys: { useAuth: true } };
const isByRole = (env) => env('CACHE_SHARING', 'caller') === 'role';
const perUser = (env) => (isByRole(env) ? { hitpass: false, keys: { useAuth: 'role' } } : perCaller);
/** For routes that ignore credentials: their answers are the same for every caller, so callers share their entries. */
const forAll = { hitpass: false, keys: {} };

const keyed = {
  '/api/board/keyed-house': ['x-house'],
  '/api/board/keyed-language': ['accept-language'],
  '/api/house-of-caller': ['x-house'],
};

const route = (name) => ({
  path: name,
  ...forAll,
  ...(keyed[name] === undefined ? {} : { keys: { useHeaders: keyed[name] } }),
});

const provider = (env) => {
  if (env('CACHE_PROVIDER', 'memory') !== 'redis') return { name: 'memory', options: { maxSize: 100_000 } };
  return {
    name: 'redis',
    getTimeout: 5000,
    options: { connection: env('REDIS_URL'), keyPrefix: env('REDIS_PREFIX', 'box:') },
  };
};

const doors = [
  '/api/doors',
  '/api/house',
  '/api/house-of-caller',
  '/api/house-unkeyed',
  '/api/flags-of-state',
  '/api/site',
];

/** Their answers change with the caller's role and permissions, so they are cached only where users share by role. */
const ofPatrons = (env) =>
  isByRole(env) ? Object.keys(patrons).map((name) => ({ path: `/api/patrons/${name}`, ...perUser(env) })) : [];

module.exports = ({ env }) => ({
  desk: { enabled: true, resolve: './src/plugins/desk' },
  'users-permissions': { config: { jwtSecret: env('JWT_SECRET') } },
  graphql: { config: { defaultLimit: 25, maxLimit: 100, depthLimit: 15 } },
  'rest-cache': {
    enabled: env.bool('REST_CACHE', true),
    config: {
      provider: provider(env),
      strategy: {
        enableXCacheHeaders: true,
        enableEtag: env.bool('CACHE_ETAG', false),
        lane: env('CACHE_LANE', 'auto'),
        // Most of the application's functions read the database or refuse, so they are no longer treated as repeatable
        // after their first such request.
        repeatable: env.bool('CACHE_REPEATABLE', false),
        graphql: { hitpass: false, keys: { useAuth: true, useHeaders: ['x-desk'] } },
        maxAge: 24 * 60 * 60 * 1000,
        contentTypes: [
          {
            contentType: 'api::event.event',
            ...perUser(env),
            routes: [
              ...[...doors, ...board()].map(route),
              { path: '/api/events/:slug/sheet', ...forAll },
              { path: '/api/card', ...perUser(env) },
              ...ofPatrons(env),
            ],
          },
          // The usual case: public requests are cached, and those with credentials are not.
          'api::act.act',
          { contentType: 'api::hall.hall', ...perUser(env) },
          { contentType: 'api::house.house', ...perUser(env) },
          { contentType: 'api::ticket.ticket', ...perUser(env) },
          { contentType: 'api::notice.notice', ...perUser(env) },
          { contentType: 'api::imprint.imprint', ...perUser(env) },
          { contentType: 'plugin::desk.entry', ...perUser(env) },
          { contentType: 'plugin::upload.file', ...perUser(env) },
          {
            contentType: 'plugin::users-permissions.user',
            ...perUser(env),
            injectDefaultRoutes: false,
            routes: ['/api/users/me', '/api/users/me/badge'],
          },
        ],
      },
    },
  },
});
