import { createServer, request as send, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FrontLane, type FrontLaneSettings } from '../../../server/src/lanes/front-lane';

/**
 * Every call that the front lane makes fails once. The origin answers, or the answer is sent all the same, and the
 * process keeps running.
 */

const entry = {
  key: '/a',
  response: { status: 200, headers: [], body: Buffer.from('cached'), etag: undefined },
  createdAt: 0,
  maxAge: 60_000,
  sequence: 0,
};
const snapshot = (fixed: readonly string[] = ['X-From', 'front']) => ({
  fixed,
  arrived: ['x-before'],
  etag: undefined,
  age: true,
  cacheStatus: true,
  encoded: undefined,
});
const repetition = (head: unknown = snapshot(), of: unknown = entry) => ({
  hit: { snapshot: head, route: {} },
  entry: of,
});

const fail = (): never => {
  throw new Error('injected');
};
const reject = (): Promise<never> => Promise.reject(new Error('injected'));

const settings = (changed: Record<string, unknown> = {}): FrontLaneSettings =>
  ({
    lane: { find: () => repetition() },
    fingerprints: { of: () => 'GET /a' },
    bodies: { body: () => undefined },
    clock: { now: () => 1000 },
    listener: { answered: () => undefined },
    log: undefined,
    responseTime: false,
    ...changed,
  }) as unknown as FrontLaneSettings;

let server: Server | undefined;
afterEach(() => server?.close());

const origin: RequestListener = (_request, response) => {
  response.end('origin');
};

interface Answer {
  readonly status: number;
  readonly body: string;
  /** The header that a listener in front has set. */
  readonly before: unknown;
}

const ask = async (changed: Record<string, unknown>, headers = {}): Promise<Answer> => {
  const listener = new FrontLane(settings(changed)).listener(origin);
  server = createServer((request, response) => {
    response.setHeader('X-Before', 'kept');
    listener(request, response);
  }).listen(0);
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, failed) => {
    const sent = send({ port, path: '/a', headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, before: response.headers['x-before'] }),
      );
      response.on('error', failed);
    });
    sent.on('error', failed);
    sent.end();
  });
};

const encoded = { ...snapshot(), encoded: 'gzip x' };
const tagged = { ...snapshot(['Trailer', 'X-Late']), etag: '"x"' };

describe('the origin answers', () => {
  it.each<[string, Record<string, unknown>, Record<string, string>?]>([
    ['a fingerprint that throws', { fingerprints: { of: fail } }],
    ['a look-up that throws', { lane: { find: fail } }],
    ['a look-up that rejects', { lane: { find: reject } }],
    ['a clock that throws', { clock: { now: fail } }],
    ['a compressed body that throws', { lane: { find: () => repetition(encoded) }, bodies: { body: fail } }],
    ['a compressed body that is gone', { lane: { find: () => repetition(encoded) } }],
    [
      'an entry without a body',
      { lane: { find: () => repetition(snapshot(), { ...entry, response: { headers: [] } }) } },
    ],
    ['an entry of something else', { lane: { find: () => repetition(snapshot(), { response: null }) } }],
    ['a remembered hit of something else', { lane: { find: () => repetition(null) } }],
    ['a Trailer, whose body has a known length', { lane: { find: () => repetition(snapshot(['Trailer', 'X-Late'])) } }],
    ['a value no header may have', { lane: { find: () => repetition(snapshot(['X-A', 'a\r\nb'])) } }],
    ['a name no header may have', { lane: { find: () => repetition(snapshot(['X A', 'a'])) } }],
    ['the same with a look-up that waits', { lane: { find: async () => repetition(snapshot(['X A', 'a'])) } }],
    ['a 304 that cannot be sent', { lane: { find: () => repetition(tagged) } }, { 'if-none-match': '"x"' }],
  ])('to %s', async (_what, changed, headers) => {
    expect(await ask(changed, headers)).toEqual({ status: 200, body: 'origin', before: 'kept' });
  });
});

describe('the answer stands', () => {
  it.each([
    ['a listener that throws', { listener: { answered: fail } }],
    ['a log that throws', { log: fail }],
    ['nothing that fails', {}],
  ])('with %s', async (_what, changed) => {
    expect(await ask(changed)).toMatchObject({ status: 200, body: 'cached' });
  });
});
