import { expect, it } from 'vitest';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/** A session that is loaded from a store before any code reads it. Answers that depend on it are not shared. */

const handler = ({ state }: ProbeContext): object => ({ who: (state as { who?: string }).who ?? 'nobody' });
const probe = probeApi([
  { path: '/probe/session/global', handler },
  { path: '/probe/session/middleware', handler, config: { auth: false, middlewares: ['global::who'] } },
  { path: '/probe/session/policy', handler, config: { auth: false, policies: ['global::who'] } },
]);

const READ = `if (ctx.session.who) ctx.state.who = ctx.session.who;`;
const FILES = {
  'src/middlewares/who.js': `module.exports = () => (ctx, next) => { ${READ} return next(); };`,
  'src/middlewares/who-in-front.js': `module.exports = () => (ctx, next) => {
    if (ctx.path === '/api/probe/session/global') { ${READ} }
    return next();
  };`,
  'src/policies/who.js': `module.exports = ({ state }, _config, { strapi }) => {
    state.who = strapi.requestContext.get().session.who;
    return true;
  };`,
};

/** The source of `strapi::session` with a store. */
export const SESSION_WITH_STORE =
  "{ name: 'strapi::session', config: { signed: false, store: { get: (who) => ({ who }), set() {}, destroy() {} } } }";

export const sessionStore: Questions = {
  about: 'a session from a store',
  files: { ...probe.files, ...FILES },
  middlewares: ['global::who-in-front'],
  contentTypes: [{ contentType: 'api::category.category', hitpass: false, routes: probe.paths }],
  ask: (application) => {
    it.each(['global', 'middleware', 'policy'])(
      'of which a %s in front has read: everybody gets an answer of their own',
      async (place) => {
        for (const who of ['alice', 'bob', 'alice', 'bob']) {
          const { body } = await rawRequest(application, `/api/probe/session/${place}`, {
            headers: { cookie: `koa.sess=${who}` },
          });
          expect(JSON.parse(body.toString())).toEqual({ who });
        }
      },
    );
  },
};
