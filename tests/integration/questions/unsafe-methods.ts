import { expect, it } from 'vitest';
import { Gate } from '../../application/gate';
import { probeApi, type ProbeContext, type ProbeRoute } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * If a handler keeps data outside of the database, no tag shows that it changed. So a successful request with an unsafe
 * method invalidates the stored responses of its URL (RFC 9111, section 4.4).
 */

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Data outside of the database. */
const values = new Map<string, number>();
const gate = new Gate();

const change = (ctx: ProbeContext): void => {
  if (ctx.query.status !== undefined) ctx.throw(Number(ctx.query.status));
  values.set(ctx.params.id ?? '', Math.random());
  ctx.status = 204;
};

const ofMemory: ProbeRoute['handler'] = async (ctx) => {
  const value = values.get(ctx.params.id ?? '') ?? 0;
  await gate.pass();
  return { value, at: Math.random() };
};

const ofDatabase: ProbeRoute['handler'] = async (_ctx, strapi) => ({
  tags: await strapi.db.query('api::tag.tag').count(),
  at: Math.random(),
});

const probe = probeApi([
  { path: '/probe/Kept/:id', handler: ofMemory },
  { path: '/probe/read/:id', handler: ofDatabase },
  ...METHODS.flatMap((method) =>
    ['/probe/Kept/:id', '/probe/read/:id'].map((path): ProbeRoute => ({ path, method, handler: change })),
  ),
]);

export const unsafeMethods: Questions = {
  about: 'a request with an unsafe method',
  files: probe.files,
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
  ask: (application) => {
    const ask = (path: string, method = 'GET'): Promise<RawResponse> =>
      rawRequest(application, `/api/probe${path}`, { method });

    /** The body of a path, once every lane has served its entry. */
    const warm = async (path: string): Promise<string> => {
      for (let attempt = 0; attempt < 3; attempt += 1) await ask(path);
      const { headers, body } = await ask(path);
      expect(headers['x-cache']).toBe('HIT');
      return body.toString();
    };

    it.each(METHODS)('%s ends what was answered at the same URL, and nowhere else', async (method) => {
      const [query, other] = [await warm(`/kept/${method}?a=b`), await warm('/kept/other')];
      const before = await warm(`/kept/${method}`);
      expect((await ask(`/kept/${method}`, method)).status).toBe(204);
      const after = await ask(`/kept/${method}`);
      expect([after.headers['x-cache'], after.body.toString() === before]).toEqual(['MISS', false]);
      expect((await ask(`/kept/${method}?a=b`)).body.toString()).not.toBe(query);
      expect((await ask('/kept/other')).body.toString()).toBe(other);
    });

    it.each(['/KEPT/a%20b', '/Kept/a%20b/', '/kept/%61%20b', '/kept/a%20b?c=d'])(
      'PUT %s is to the same URL',
      async (to) => {
        const before = await warm('/kept/a%20b');
        await ask(to, 'PUT');
        expect((await ask('/kept/a%20b')).body.toString()).not.toBe(before);
      },
    );

    it('a very long URL is one as well', async () => {
      const path = `/kept/${'x'.repeat(1000)}`;
      const before = await warm(path);
      await ask(path, 'DELETE');
      expect((await ask(path)).body.toString()).not.toBe(before);
    });

    it.each([400, 404, 500])('one that failed with %d ends nothing', async (status) => {
      const before = await warm('/kept/failed');
      expect((await ask(`/kept/failed?status=${status}`, 'PUT')).status).toBe(status);
      expect((await ask('/kept/failed')).body.toString()).toBe(before);
    });

    it('an answer that was on its way meanwhile is not kept', async () => {
      gate.shut();
      const late = ask('/kept/late');
      await gate.reached;
      expect((await ask('/kept/late', 'PUT')).status).toBe(204);
      gate.open();
      const before = (await late).body.toString();
      expect((await ask('/kept/late')).body.toString()).not.toBe(before);
    });

    it('an answer made of the database lasts: its tags tell when it ends', async () => {
      const before = await warm('/read/1');
      expect((await ask('/read/1', 'PUT')).status).toBe(204);
      const { headers, body } = await ask('/read/1');
      expect([headers['x-cache'], body.toString()]).toEqual(['HIT', before]);
    });
  },
};
