import { describe } from 'vitest';
import { afterTheRoute } from './questions/after-the-route';
import { globalMiddlewares } from './questions/global-middlewares';
import { hitsStayBytes } from './questions/hits-stay-bytes';
import { parametersInFront } from './questions/parameters-in-front';
import { askTogether } from './questions/questions';
import { readBeforeTheRoute } from './questions/read-before-the-route';
import { readsInFront } from './questions/reads-in-front';
import { rewrittenRequests } from './questions/rewritten-requests';
import { SESSION_WITH_STORE, sessionStore } from './questions/session-store';

/** Global middlewares of the application's own keep hits on the route, whatever lane is configured. */

describe('behind middlewares that change requests and responses', () => {
  askTogether(
    'auto',
    { enableEtag: true },
    [rewrittenRequests, sessionStore, afterTheRoute, readBeforeTheRoute, hitsStayBytes],
    `'strapi::logger', 'strapi::errors', 'strapi::compression', 'strapi::security',
      { name: 'strapi::cors', config: { origin: ['https://one.example'], expose: ['X-Exposed'] } },
      'strapi::poweredBy', 'global::afterwards', 'strapi::query', 'strapi::body', ${SESSION_WITH_STORE},
      'strapi::favicon', 'strapi::public'`,
  );
});

describe('behind middlewares that read requests', () => {
  askTogether('auto', {}, [readsInFront, parametersInFront, globalMiddlewares]);
});
