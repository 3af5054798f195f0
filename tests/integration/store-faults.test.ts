import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { ChaosProvider } from './chaos-provider';

/** Issue 2: a store that errors or is slower than `getTimeout` is a miss, never an error for the client. */

const GET_TIMEOUT = 60;

const probe = probeApi([{ path: '/probe/plain', handler: () => ({ at: Math.random() }) }]);

let application: Application;
let store: ChaosProvider;

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
});

afterAll(() => application.stop());

beforeEach(() => {
  store.fault = undefined;
});

const get = (query: string) => rawRequest(application, `/api/probe/plain?${query}`);

const outcomes = async (query: string) => {
  const seen: unknown[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status, headers } = await get(query);
    seen.push([status, headers['x-cache']]);
  }
  return seen;
};

const MISSES = [
  [200, 'MISS'],
  [200, 'MISS'],
  [200, 'MISS'],
];

describe.each([['throw'], ['reject'], ['hang']] as const)('a store whose operations %s', (fault) => {
  it('while it is asked: the origin answers', async () => {
    await outcomes(`warm=${fault}`);
    store.fault = { kind: fault, operations: ['lookup'] };
    expect(await outcomes(`cold=${fault}`)).toEqual(MISSES);
    expect(await outcomes(`warm=${fault}`)).toEqual(MISSES);
    store.fault = undefined;
    expect((await get(`warm=${fault}`)).headers['x-cache']).toBe('HIT');
  });

  it('while it is given: the response is sent', async () => {
    store.fault = { kind: fault, operations: ['store'] };
    expect(await outcomes(`given=${fault}`)).toEqual(MISSES);
    store.fault = undefined;
    expect(await outcomes(`given=${fault}`)).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
      [200, 'HIT'],
    ]);
  });
});

describe('a store that is slow', () => {
  it('is not waited for for ever, by neither of the two questions of a request', async () => {
    store.fault = { kind: 'hang', operations: ['lookup', 'store'] };
    expect((await get('timed')).headers['x-cache']).toBe('MISS');
    store.fault = { kind: 'hang', operations: ['store'] };
    expect((await get('timed')).headers['x-cache']).toBe('MISS');
  });

  it('but within getTimeout, hits', async () => {
    store.fault = { kind: 'delay', operations: ['lookup', 'store'], delay: 5 };
    expect(await outcomes('delayed')).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
      [200, 'HIT'],
    ]);
  });

  it('does not answer late: a hit that comes after the deadline is ignored', async () => {
    await outcomes('late');
    store.fault = { kind: 'delay', operations: ['lookup'], delay: 4 * GET_TIMEOUT };
    const { status, headers } = await get('late');
    expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
  });
});

describe('a store that cannot be asked by the admin routes and HEAD', () => {
  it('HEAD is answered by the origin', async () => {
    store.fault = { kind: 'reject', operations: ['lookup'] };
    const { status, headers } = await rawRequest(application, '/api/probe/plain?head', { method: 'HEAD' });
    expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
  });
});
