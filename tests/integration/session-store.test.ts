import { describe, expect, it } from 'vitest';
import { probeApi, type ProbeContext } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { runningApplication } from './running-application';

/** A session that is loaded from a store before any code reads it. Answers that depend on it are not shared. */

const handler = ({ state }: ProbeContext): object => ({ who: (state as { who?: string }).who ?? 'nobody' });
const probe = probeApi([
  { path: '/probe/global', handler },
  { path: '/probe/middleware', handler, config: { auth: false, middlewares: ['global::who'] } },
  { path: '/probe/policy', handler, config: { auth: false, policies: ['global::who'] } },
]);

const READ = `if (ctx.session.who) ctx.state.who = ctx.session.who;`;
const FILES = {
  'src/middlewares/who.js': `module.exports = () => (ctx, next) => { ${READ} return next(); };`,
  'src/middlewares/who-in-front.js': `module.exports = () => (ctx, next) => {
    if (ctx.path === '/api/probe/global') { ${READ} }
    return next();
  };`,
  'src/policies/who.js': `module.exports = ({ state }, _config, { strapi }) => {
    state.who = strapi.requestContext.get().session.who;
    return true;
  };`,
  'config/middlewares.js': `module.exports = ['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors',
    'strapi::poweredBy', 'strapi::query', 'strapi::body',
    { name: 'strapi::session', config: { signed: false, store: { get: (who) => ({ who }), set() {}, destroy() {} } } },
    'strapi::favicon', 'strapi::public', 'global::who-in-front'];`,
};

describe('a session from a store', () => {
  const application = runningApplication(
    { ...probe.files, ...FILES },
    { lane: 'auto', contentTypes: [{ contentType: 'api::article.article', hitpass: false, routes: probe.paths }] },
  );

  it.each(['global', 'middleware', 'policy'])('read in front: %s', async (place) => {
    for (const who of ['alice', 'bob', 'alice', 'bob']) {
      const { body } = await rawRequest(application, `/api/probe/${place}`, { headers: { cookie: `koa.sess=${who}` } });
      expect(JSON.parse(body.toString())).toEqual({ who });
    }
  });
});
