import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest, type RawResponse } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

/** A response that turns out to be unstorable at the end of its handler is sent as the handler has made it. */

let application: Application;
let holds: () => void;
let isHeld: Promise<void>;
let goOn: () => void;

const probe = probeApi([
  {
    // Does a read that forbids storing, and is still under way when the other route is requested.
    path: '/probe/holding',
    handler: async (_ctx, strapi) => {
      await strapi.db.connection.raw('select name from sqlite_master');
      const end = new Promise<void>((resolve) => (goOn = resolve));
      holds();
      await end;
      return {};
    },
  },
  {
    path: '/probe/title',
    handler: (ctx) => {
      ctx.set('X-Title', 'Café Müller');
      ctx.body = 'Café Müller';
    },
  },
]);

beforeAll(async () => {
  isHeld = new Promise((resolve) => (holds = resolve));
  application = await startApplication({
    files: probe.files,
    restCache: {
      strategy: { enableXCacheHeaders: true, contentTypes: [{ contentType: 'api::tag.tag', routes: probe.paths }] },
    },
  });
});
afterAll(() => application.stop());

const sent = ({ status, rawHeaders, body }: RawResponse): object => ({
  status,
  title: rawHeaders[rawHeaders.indexOf('X-Title') + 1],
  body: body.toString('latin1'),
});

it('with the bytes of its head and body', async () => {
  const bypassing = await rawRequest(application, '/api/probe/title', { headers: { cookie: 'a=1' } });
  expect(bypassing.headers['x-cache']).toBe('HITPASS');
  const holding = rawRequest(application, '/api/probe/holding');
  await isHeld;
  const refused = await rawRequest(application, '/api/probe/title');
  goOn();
  await holding;
  expect(refused.headers['cache-status']).toContain('ran at the same time');
  expect(sent(refused)).toEqual(sent(bypassing));
  expect(sent(refused)).toMatchObject({ title: Buffer.from('Café Müller').toString('latin1') });
});
