import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { Gate } from '../../application/gate';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * A hundred concurrent requests for one cold key reach the controller once. Which of them wait where the latest answer
 * was not storable: tests/simulation/herds.test.ts. How long at most: tests/unit/cache/flights.test.ts.
 */

/** Handlers respond when the gate opens, which is when all requests of a test have arrived. */
const gate = new Gate();

const slowly = async <T>(value: T): Promise<T> => {
  await gate.pass();
  return value;
};

/** How handlers notice that their client has left. */
const HEEDS: ReadonlyArray<readonly [what: string, heed: (ctx: ProbeContext, leave: () => void) => void]> = [
  ['response', ({ res }, leave) => res.once('close', leave)],
  ['request', ({ req }, leave) => req.once('aborted', leave)],
  ['socket', ({ socket }, leave) => socket.once('close', leave)],
  [
    'response-now-and-then',
    ({ res }, leave) => void vi.waitUntil(() => res.destroyed, { timeout: 60_000 }).then(leave),
  ],
];

const probe = probeApi([
  { path: '/probe/slow', handler: () => slowly({ at: Math.random() }) },
  {
    path: '/probe/slow-cookie',
    handler: async (ctx) => (ctx.cookies.set('id', String(Math.random())), slowly({ at: Math.random() })),
  },
  {
    path: '/probe/slow-session',
    handler: async (ctx) => ((ctx.session.id = Math.random()), slowly({ at: Math.random() })),
  },
  ...HEEDS.map(([what, heed]) => ({
    // Answers completely when the gate opens, but only partly if the handler notices that its client has left.
    path: `/probe/heeds-${what}`,
    handler: (ctx: ProbeContext) =>
      new Promise<object>((resolve) => {
        heed(ctx, () => resolve({ whole: false }));
        void gate.pass().then(() => resolve({ whole: true }));
      }),
  })),
  {
    path: '/probe/reads-tags',
    handler: async (_ctx, strapi) => {
      const count = await strapi.db.query('api::tag.tag').count();
      return slowly({ count, at: Math.random() });
    },
  },
]);

export const coalescing: Questions = {
  about: 'requests at the same time',
  files: probe.files,
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
  ask: (application) => {
    /** Sends the requests all at once, and opens the gate when each of them has got as far as it can. */
    const concurrently = async (targets: readonly string[]) => {
      gate.shut();
      let arrived = 0;
      const count = (): void => void (arrived += 1);
      const { httpServer } = application.strapi.server;
      httpServer.prependListener('request', count);
      const answers = targets.map((target) => rawRequest(application, target));
      await vi.waitFor(() => expect(arrived).toBe(targets.length), { timeout: 30_000 });
      // Nothing tells that a request which has arrived waits for another.
      await new Promise((resolve) => setTimeout(resolve, 300));
      httpServer.removeListener('request', count);
      gate.open();
      return Promise.all(answers);
    };

    const times = (count: number, target: string): string[] => Array.from({ length: count }, () => target);

    const counted = async <T>(path: string, work: () => Promise<T>): Promise<readonly [T, number]> => {
      const before = probe.calls(path);
      const result = await work();
      return [result, probe.calls(path) - before];
    };

    describe('100 concurrent requests for one cold key', () => {
      it('reach the controller once, and all get its response', async () => {
        const [answers, calls] = await counted('/probe/slow', () => concurrently(times(100, '/api/probe/slow?herd')));
        expect(calls).toBe(1);
        expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
        expect(answers.filter(({ headers }) => headers['x-cache'] === 'MISS')).toHaveLength(1);
        expect(answers.filter(({ headers }) => /; collapsed(;|$)/.test(String(headers['cache-status'])))).toHaveLength(
          99,
        );
      });

      it.each([
        ['Set-Cookie', '/probe/slow-cookie'],
        ['a session', '/probe/slow-session'],
      ])('get a response of their own each when it turns out unstorable (%s)', async (_what, path) => {
        const [answers, calls] = await counted(path, () => concurrently(times(100, `/api${path}`)));
        expect(calls).toBe(100);
        expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(100);
        expect(new Set(answers.map(({ headers }) => String(headers['set-cookie']))).size).toBe(100);
      });

      it('may come on one connection, without a warning of too many listeners', async () => {
        const warnings: string[] = [];
        const note = ({ message }: Error): void => void warnings.push(message);
        process.on('warning', note);
        const [hostname, port] = [new URL(application.origin).hostname, Number(new URL(application.origin).port)];
        const before = probe.calls('/probe/slow');
        gate.shut();
        const client = connect(port, hostname);
        const last = 'GET /api/probe/slow?of=15 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
        const sent = Array.from({ length: 15 }, (_, of) => `GET /api/probe/slow?of=${of} HTTP/1.1\r\nHost: a\r\n\r\n`);
        client.write([...sent, last].join(''));
        await expect.poll(() => probe.calls('/probe/slow') - before).toBe(16);
        gate.open();
        expect((await text(client)).match(/HTTP\/1.1 200 OK/g)).toHaveLength(16);
        process.off('warning', note);
        expect(warnings).toEqual([]);
      });

      it.each(HEEDS.map(([what]) => what))(
        'are not given what was made for one whose client has left: its %s',
        async (what) => {
          const path = `/probe/heeds-${what}`;
          gate.shut();
          const gone = request(`${application.origin}/api${path}`).on('error', () => undefined);
          gone.end();
          await gate.reached;
          const waiting = rawRequest(application, `/api${path}`);
          // Nothing tells that it waits for the other.
          await new Promise((resolve) => setTimeout(resolve, 300));
          gone.destroy();
          await vi.waitFor(() => expect(probe.calls(path)).toBe(2), { timeout: 30_000 });
          gate.open();
          for (const answer of [await waiting, await rawRequest(application, `/api${path}`)])
            expect(JSON.parse(answer.body.toString())).toEqual({ whole: true });
          expect(probe.calls(path)).toBe(2);
        },
      );

      it('do not join a computation that a write has overtaken', async () => {
        gate.shut();
        const early = rawRequest(application, '/api/probe/reads-tags');
        await gate.reached;
        await application.strapi.db
          .query('api::tag.tag')
          .create({ data: { name: 'Overtaking', documentId: 'overtaking' } });
        const computing = rawRequest(application, '/api/probe/reads-tags');
        await vi.waitFor(() => expect(probe.calls('/probe/reads-tags')).toBe(2), { timeout: 30_000 });
        gate.open();
        const late = await computing;
        const count = (answer: { body: Buffer }): number =>
          (JSON.parse(answer.body.toString()) as { count: number }).count;
        expect(count(late)).toBe(count(await early) + 1);
        // The overtaken computation ran at the same time, and this one may have waited for what that one had read.
        expect(late.headers['cache-status']).toContain('changed meanwhile');
        for (const expected of ['MISS', 'HIT']) {
          const after = await rawRequest(application, '/api/probe/reads-tags');
          expect([after.headers['x-cache'], count(after)]).toEqual([expected, count(late)]);
        }
      });
    });
  },
};
