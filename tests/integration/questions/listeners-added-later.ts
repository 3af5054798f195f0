import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { bytesAnswered } from '../../application/bytes-answered';
import { rawRequest, type RawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

const TAGS = '/api/tags?fields=name&pagination[pageSize]=2';

/** They are asked last: one of them stays in the place of Strapi's own. */
export const listenersAddedLater: Questions = {
  about: 'listeners that are added while the front lane answers',
  files: {},
  contentTypes: ['api::tag.tag'],
  ask: (application) => {
    const failures: unknown[] = [];
    const fail = (error: unknown): void => void failures.push(error);
    beforeAll(() => {
      process.on('uncaughtException', fail).on('unhandledRejection', fail);
      const line = '[rest-cache] hits are answered before Strapi';
      expect(application.logs.some((each) => each.startsWith(line))).toBe(true);
    });
    afterEach(() => {
      const { httpServer } = application.strapi.server;
      for (const event of ['checkContinue', 'checkExpectation', 'upgrade']) httpServer.removeAllListeners(event);
    });
    afterAll(() => {
      process.off('uncaughtException', fail).off('unhandledRejection', fail);
      expect(failures).toEqual([]);
    });

    const get = (...headers: string[]): string =>
      [`GET ${TAGS} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');
    const statusLines = (bytes: string): string[] => bytes.match(/HTTP\/1\.1 \d{3}/g) ?? [];
    const answers = async (request: string): Promise<string[]> => {
      const all: string[] = [];
      for (let time = 0; time < 4; time += 1) all.push(await bytesAnswered(application, request));
      return all;
    };

    it.each([[['Expect: 100-continue']], [['Expect: something']], [['Upgrade: other', 'Connection: upgrade']]])(
      'without a listener Node.js and Strapi answer %s, once',
      async (headers) => {
        for (const bytes of await answers(get(...headers))) {
          const lines = statusLines(bytes).filter((line) => line !== 'HTTP/1.1 100');
          expect(lines).toEqual([headers[0] === 'Expect: something' ? 'HTTP/1.1 417' : 'HTTP/1.1 200']);
        }
      },
    );

    it('checkContinue that passes the request on: answered once, from the store', async () => {
      const { httpServer } = application.strapi.server;
      httpServer.on('checkContinue', (request, response) => {
        response.setHeader('X-Guard', 'seen');
        response.writeContinue();
        httpServer.emit('request', request, response);
      });
      const all = await answers(get('Expect: 100-continue'));
      for (const bytes of all) {
        expect(statusLines(bytes)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
        expect(bytes).toContain('X-Guard: seen');
      }
      expect(all.at(-1)).toContain('X-Cache: HIT');
    });

    it.each(['checkContinue', 'checkExpectation'] as const)(
      '%s that answers by itself: nobody else does',
      async (event) => {
        application.strapi.server.httpServer.on(event, (_request: IncomingMessage, response: ServerResponse) => {
          response.statusCode = 403;
          response.end('banned');
        });
        await answers(get());
        for (const bytes of await answers(
          get(event === 'checkContinue' ? 'Expect: 100-continue' : 'Expect: something'),
        )) {
          expect(statusLines(bytes)).toEqual(['HTTP/1.1 403']);
          expect(bytes.endsWith('banned')).toBe(true);
        }
      },
    );

    it('upgrade: its listener gets the connection, and requests without one are answered as ever', async () => {
      application.strapi.server.httpServer.on('upgrade', (_request, socket) => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\nhello');
      });
      for (const bytes of await answers(get('Upgrade: other').replace('Connection: close', 'Connection: upgrade'))) {
        expect(statusLines(bytes)).toEqual(['HTTP/1.1 101']);
        expect(bytes.endsWith('hello')).toBe(true);
      }
      for (const bytes of await answers(get())) expect(statusLines(bytes)).toEqual(['HTTP/1.1 200']);
    });

    it.each([
      ['at once', (response: ServerResponse) => void response.writeHead(403).end('banned')],
      [
        'in two parts',
        (response: ServerResponse) => (
          response.writeHead(403),
          setTimeout(() => response.end('banned'), 20),
          undefined
        ),
      ],
    ])('a guard prepended for one request after listening, which answers it %s', async (_how, answer) => {
      await answers(get());
      const { httpServer } = application.strapi.server;
      for (const add of ['prependListener', 'prependOnceListener'] as const) {
        const guard: RequestListener = (_request, response) => answer(response);
        httpServer[add]('request', guard);
        const bytes = await bytesAnswered(application, get());
        httpServer.removeListener('request', guard);
        expect(statusLines(bytes)).toEqual(['HTTP/1.1 403']);
        // If a status was sent already, Koa writes the body up to the last chunk, as it would without the plugin.
        expect(bytes).toMatch(/banned$|\r\n0\r\n\r\n$/);
        const [after = ''] = await answers(get());
        expect(statusLines(after)).toEqual(['HTTP/1.1 200']);
      }
    });

    it('what instrumentation sets on a response before anybody is its own, also in front of Strapi', async () => {
      const { httpServer, app } = application.strapi.server;
      const { emit } = httpServer;
      const passes = vi.spyOn(app, 'createContext');
      let trace = 0;
      let isSampled = true;
      httpServer.emit = function (this: typeof httpServer, event: string, ...given: unknown[]) {
        if (event === 'request' && isSampled) (given[1] as ServerResponse).setHeader('X-Trace', String((trace += 1)));
        return Reflect.apply(emit, this, [event, ...given]) as boolean;
      } as typeof emit;
      const ask = async (asked: RawRequest = {}) => {
        const { status, headers, rawHeaders, body } = await rawRequest(application, `${TAGS}&sort=name`, asked);
        const names = rawHeaders.filter((_text, index) => index % 2 === 0).sort();
        return { told: [status, headers['x-trace'], passes.mock.calls.length], names, body: body.toString(), headers };
      };
      try {
        const [miss, hit, front, again] = [await ask(), await ask(), await ask(), await ask()];
        expect([miss, hit, front, again].map(({ told }) => told)).toEqual([
          [200, '1', 1],
          [200, '2', 2],
          [200, '3', 2],
          [200, '4', 2],
        ]);
        for (const each of [front, again]) expect([each.names, each.body]).toEqual([hit.names, hit.body]);
        const heads = [await ask({ method: 'HEAD' }), await ask({ method: 'HEAD' })];
        expect(heads.map(({ told }) => told)).toEqual([
          [200, '5', 3],
          [200, '6', 3],
        ]);
        for (const { names, body } of heads) expect([names, body]).toEqual([hit.names, '']);
        if (hit.headers.etag !== undefined)
          expect((await ask({ headers: { 'if-none-match': hit.headers.etag } })).told).toEqual([304, '7', 3]);
        // The stack answers who comes without it.
        isSampled = false;
        expect((await ask()).told).toEqual([200, undefined, 4]);
        expect((await ask()).told).toEqual([200, undefined, 4]);
      } finally {
        httpServer.emit = emit;
        passes.mockRestore();
      }
    });

    it('one for requests is called for every request from then on', async () => {
      for (let attempt = 0; attempt < 3; attempt += 1) await rawRequest(application, TAGS);
      const { httpServer } = application.strapi.server;
      const guard: RequestListener = (_request, response) => void response.setHeader('X-Guard', 'seen');
      httpServer.prependListener('request', guard);
      const guarded = await rawRequest(application, TAGS);
      expect([guarded.status, guarded.headers['x-cache'], guarded.headers['x-guard']]).toEqual([200, 'HIT', 'seen']);
      httpServer.removeListener('request', guard);
    });

    // The last one: it stays in the place of Strapi's own.
    it('one in the place of Strapi’s own decides what is asked for', async () => {
      const { httpServer } = application.strapi.server;
      const [own] = httpServer.listeners('request') as RequestListener[];
      httpServer.removeAllListeners('request');
      httpServer.on('request', (request, response) => {
        request.url = TAGS;
        own?.(request, response);
      });
      expect((await rawRequest(application, '/api/anything')).headers['x-cache']).toBe('HIT');
    });
  },
};
