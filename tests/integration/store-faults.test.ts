import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EntryPage, Purged } from '../../admin/src/api/responses';
import { logIn, type AdminSession } from '../application/admin-session';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { ChaosProvider } from './chaos-provider';
import { NEVER_STORED, STORED, thrice } from './outcomes';

/** A store that errors or is slower than `getTimeout` is a miss, never an error for the client. */

const GET_TIMEOUT = 200;

const probe = probeApi([{ path: '/probe/plain', handler: () => ({ at: Math.random() }) }]);

let application: Application;
let store: ChaosProvider;
let admin: AdminSession;

beforeAll(async () => {
  application = await startApplication({
    files: probe.files,
    restCache: {
      provider: { getTimeout: GET_TIMEOUT, instance: (_options, settings) => (store = new ChaosProvider(settings)) },
      strategy: {
        enableXCacheHeaders: true,
        contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
      },
    },
  });
  admin = await logIn(application);
});

afterAll(() => application.stop());

beforeEach(() => {
  store.fault = undefined;
});

const PLAIN = '/api/probe/plain';

/** Asks three times. The client never gets an error. */
const outcomes = async (path: string): Promise<unknown[]> => {
  const answers = await thrice(application, path);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  return answers.map(({ headers }) => headers['x-cache']);
};

describe.each([['throw'], ['reject'], ['hang']] as const)('a store whose operations %s', (kind) => {
  it('while it is asked: the origin answers', async () => {
    const [warm, cold] = [`${PLAIN}?warm=${kind}`, `${PLAIN}?cold=${kind}`];
    await outcomes(warm);
    store.fault = { kind, operations: ['lookup'] };
    for (const path of [cold, warm]) expect(await outcomes(path)).toEqual(NEVER_STORED);
    store.fault = undefined;
    expect((await rawRequest(application, warm)).headers['x-cache']).toBe('HIT');
  });

  it('while it is given: the response is sent', async () => {
    const path = `${PLAIN}?given=${kind}`;
    store.fault = { kind, operations: ['store'] };
    expect(await outcomes(path)).toEqual(NEVER_STORED);
    store.fault = undefined;
    expect(await outcomes(path)).toEqual(STORED);
  });
});

describe('a store that is slow', () => {
  it('within getTimeout, hits', async () => {
    store.fault = { kind: 'delay', operations: ['lookup', 'store'], delay: 5 };
    expect(await outcomes(`${PLAIN}?delayed`)).toEqual(STORED);
  });

  it('does not answer late: a hit that comes after the deadline is ignored', async () => {
    await outcomes(`${PLAIN}?late`);
    store.fault = { kind: 'delay', operations: ['lookup'], delay: 4 * GET_TIMEOUT };
    const { status, headers } = await rawRequest(application, `${PLAIN}?late`);
    expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
  });
});

/**
 * The admin API's responses while the store cannot be reached: a 503 with the reason, or what is known without the
 * store, but never a bare 500. The API also sends the store no more requests than it needs.
 */
describe('the admin API without a store', () => {
  // Strapi writes a setting by itself some seconds after its start. Where that could not be delivered, it is the reason.
  const operations = ['lookup', 'store', 'summaries', 'delete', 'usage'] as const;

  interface Refused {
    readonly error: { readonly status: number; readonly name: string; readonly message: string };
  }

  describe.each([
    ['rejects', 'reject', 'the store rejects'],
    ['never answers', 'hang', 'the cache store did not answer within 200 ms'],
  ] as const)('that %s', (_what, kind, said) => {
    let key: string | undefined;
    beforeAll(async () => {
      store.fault = undefined;
      await application.get('/api/articles');
      // For a second after a store was slow to fail, it is asked for no list.
      await vi.waitFor(
        async () => {
          const { body } = await admin.get<Partial<EntryPage>>('/rest-cache/entries');
          expect((key = body.results?.[0]?.key)).toBeDefined();
        },
        { timeout: 30_000 },
      );
    });
    beforeEach(() => {
      store.fault = { kind, operations };
    });

    it.each(['stats', 'entries', 'routes/held', 'entries/detail?key='])('%s is answered 503', async (path) => {
      const whole = path.endsWith('=') ? path + encodeURIComponent(key ?? '') : path;
      const { status, body } = await admin.get<Refused>(`/rest-cache/${whole}`);
      expect([status, body.error]).toMatchObject([503, { status: 503, name: 'StoreUnavailableError' }]);
      expect(body.error.message).toContain(`is unavailable: ${said}`);
    });

    it('single entries are not purged by half: that is refused', async () => {
      for (const body of [{ keys: [key] }, { search: 'articles' }])
        expect((await admin.post('/rest-cache/purge-entries', body)).status).toBe(503);
    });

    it('what comes from counters is answered all the same', async () => {
      for (const path of ['metrics', 'routes', 'activity'])
        expect([path, (await admin.get(`/rest-cache/${path}`)).status]).toEqual([path, 200]);
    });

    it('Explain says that the store is away', async () => {
      const { status, body } = await admin.post('/rest-cache/explain', {
        url: '/api/articles',
        as: { kind: 'anonymous' },
      });
      expect([status, body]).toMatchObject([200, { verdict: 'refused', reason: { code: 'store-away' } }]);
    });

    it('purges are queued, say so, and take effect before the store is used again', async () => {
      store.fault = { kind, operations: [...operations, 'invalidate'] };
      const body = { entries: null, queued: true };
      expect(await admin.post<Purged>('/rest-cache/purge', { contentType: 'api::article.article' })).toEqual({
        status: 200,
        body,
      });
      expect((await admin.post<Purged>('/rest-cache/reset', {})).body).toEqual(body);
      store.fault = undefined;
      expect((await application.get('/api/articles')).cache).toBe('MISS');
    });
  });
});
