import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { EdgeKey, EdgePurge, EdgeTarget } from '../../../server/src/cache/edge-purge';
import { targetOf } from '../../../server/src/edge/built-in-targets';

/** Each target against a stand-in that accepts the requests that the vendor documents, and refuses all others. */

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = readonly [status: number, body?: string];

let server: Server | undefined;
afterEach(() => server?.close());

const standIn = (answer: (asked: Asked) => Answer): Promise<string> =>
  new Promise((resolve) => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const [status, text = ''] = answer({ method, url, headers, body });
        response.writeHead(status).end(text);
      });
    }).listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server?.address() as AddressInfo).port}`));
  });

const purgeOf = (count: number): EdgePurge => ({
  sequence: 7,
  keys: Array.from({ length: count }, (_, index) => `key${index}` as EdgeKey),
  documents: [{ contentType: 'api::article.article', documentId: 'one' }],
});

const send = ({ purge }: EdgeTarget, count = 2): Promise<void> => purge(purgeOf(count), AbortSignal.timeout(5000));

const json = (body: string): Record<string, unknown> => JSON.parse(body) as Record<string, unknown>;

it('varnish sends PURGE with the keys in one header', async () => {
  const url = await standIn(({ method, headers }) => {
    const keys = String(headers['xkey-purge']);
    return method === 'PURGE' && keys.startsWith('key0 key1') && keys.length < 8000 ? [200] : [400];
  });
  const target = targetOf({ name: 'varnish', url });
  await send(target);
  await send(target, target.batch);
});

it('varnish sends the keys as alternatives where it is to ban', async () => {
  const url = await standIn(({ method, headers }) => {
    const keys = String(headers['xkey-ban']);
    return method === 'PURGE' && /^key0\|key1(\|key\d+)*$/.test(keys) && keys.length < 8000 ? [200] : [400];
  });
  const target = targetOf({ name: 'varnish', url, method: 'ban' });
  await send(target);
  await send(target, target.batch);
});

it('fastly sends up to 256 surrogate keys, softly where it is told to', async () => {
  const asked: Asked[] = [];
  const url = await standIn((request) => {
    asked.push(request);
    const { surrogate_keys: keys } = json(request.body) as { surrogate_keys: string[] };
    if (request.headers['fastly-key'] !== 'token') return [401];
    return request.url === '/service/abc/purge' && request.method === 'POST' && keys.length <= 256
      ? [200, '{}']
      : [400];
  });
  const target = targetOf({ name: 'fastly', serviceId: 'abc', token: 'token', url: `${url}/` });
  await send(target);
  await send(target, target.batch);
  await send(targetOf({ name: 'fastly', serviceId: 'abc', token: 'token', soft: true, url }));
  expect(asked.map(({ headers }) => headers['fastly-soft-purge'])).toEqual([undefined, undefined, '1']);
  await expect(send(targetOf({ name: 'fastly', serviceId: 'abc', token: 'other', url }))).rejects.toThrow(
    'it answered 401',
  );
});

it('cloudflare sends up to 30 tags, and is refused by the body as well', async () => {
  let isLimited = false;
  const url = await standIn(({ url: path, headers, body }) => {
    if (isLimited) return [200, '{ "success": false, "errors": [{ "code": 1134 }] }'];
    const { tags } = json(body) as { tags: string[] };
    if (headers.authorization !== 'Bearer token') return [403];
    return path === '/client/v4/zones/zone/purge_cache' && tags.length <= 30 ? [200, '{"success":true}'] : [400];
  });
  const target = targetOf({ name: 'cloudflare', zoneId: 'zone', token: 'token', url });
  await send(target, target.batch);
  isLimited = true;
  await expect(send(target)).rejects.toThrow('it answered that it failed');
});

it('the webhook signs the body', async () => {
  const url = await standIn(({ headers, body }) => {
    const signature = createHmac('sha256', 'secret').update(body).digest('hex');
    return headers['x-rest-cache-signature'] === `sha256=${signature}` ? [204] : [401];
  });
  await send(targetOf({ name: 'webhook', url, secret: 'secret' }));
  await expect(send(targetOf({ name: 'webhook', url, secret: 'other' }))).rejects.toThrow('it answered 401');
});

it('nobody follows a redirect with a credential', async () => {
  const url = await standIn(() => [302]);
  await expect(send(targetOf({ name: 'varnish', url }))).rejects.toThrow('it answered 302');
});
