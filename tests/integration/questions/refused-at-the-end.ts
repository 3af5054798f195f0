import { expect, it } from 'vitest';
import { Gate } from '../../application/gate';
import { probeApi } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/** A response that turns out to be unstorable at the end of its handler is sent as the handler has made it. */

const gate = new Gate();

const probe = probeApi([
  {
    // Does a read that forbids storing, and is still under way when the other route is requested.
    path: '/probe/holding',
    handler: async (_ctx, strapi) => {
      await strapi.db.connection.raw('select name from sqlite_master');
      await gate.pass();
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

const sent = ({ status, rawHeaders, body }: RawResponse): object => ({
  status,
  title: rawHeaders[rawHeaders.indexOf('X-Title') + 1],
  body: body.toString('latin1'),
});

export const refusedAtTheEnd: Questions = {
  about: 'a response that turns out to be unstorable at the end of its handler',
  files: probe.files,
  contentTypes: [{ contentType: 'api::tag.tag', routes: probe.paths }],
  ask: (application) => {
    it('is sent with the bytes of its head and body', async () => {
      const bypassing = await rawRequest(application, '/api/probe/title', { headers: { cookie: 'a=1' } });
      expect(bypassing.headers['x-cache']).toBe('HITPASS');
      gate.shut();
      const holding = rawRequest(application, '/api/probe/holding');
      await gate.reached;
      const refused = await rawRequest(application, '/api/probe/title');
      gate.open();
      await holding;
      expect(refused.headers['cache-status']).toContain('ran at the same time');
      expect(sent(refused)).toEqual(sent(bypassing));
      expect(sent(refused)).toMatchObject({ title: Buffer.from('Café Müller').toString('latin1') });
    });
  },
};
