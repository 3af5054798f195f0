import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../application/paths';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

/** "The edge": a front end that revalidates what a signed webhook names, with the receiver that docs/edge.md shows. */

const SECRET = 'a secret of the two';
const ARTICLE = 'api::article.article';

let revalidated: string[] = [];

type Receiver = (request: Request) => Promise<Response>;

/** The route handler of the page, with `next/cache` replaced. */
const documentedReceiver = (): Receiver => {
  const page = readFileSync(path.join(ROOT, 'docs/edge.md'), 'utf8');
  const shown = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);
  const source = shown.find((code) => code.includes('revalidateTag('));
  if (source === undefined) throw new Error('docs/edge.md shows no receiver');
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const exported: { POST?: Receiver } = {};
  const require = createRequire(import.meta.url);
  const provide = (name: string): unknown =>
    name === 'next/cache' ? { revalidateTag: (tag: string) => revalidated.push(tag) } : require(name);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the page's own code
  new Function('require', 'exports', outputText)(provide, exported);
  if (exported.POST === undefined) throw new Error('the receiver exports no POST');
  return exported.POST;
};

const serve = (receive: Receiver): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
        void receive(
          new Request('http://front.end/api', { method: 'POST', headers, body: Buffer.concat(chunks) }),
        ).then(({ status }) => response.writeHead(status).end());
      });
    }).listen(0, '127.0.0.1', () => resolve(server));
  });

describe('a front end behind the webhook', () => {
  let application: Application;
  let frontEnd: Server;
  const statuses: number[] = [];

  beforeAll(async () => {
    process.env.REST_CACHE_SECRET = SECRET;
    const receive = documentedReceiver();
    frontEnd = await serve(async (request) => {
      const answer = await receive(request);
      statuses.push(answer.status);
      return answer;
    });
    const { port } = frontEnd.address() as AddressInfo;
    application = await startApplication({
      restCache: {
        strategy: {
          contentTypes: [ARTICLE],
          edge: {
            header: 'Surrogate-Key',
            lifetimeHeader: 'CDN-Cache-Control',
            targets: [{ name: 'webhook', url: `http://127.0.0.1:${port}/api/revalidate`, secret: SECRET }],
          },
        },
      },
    });
  });

  afterAll(async () => {
    delete process.env.REST_CACHE_SECRET;
    await application.stop();
    frontEnd.close();
    frontEnd.closeAllConnections();
  });

  beforeEach(() => {
    revalidated = [];
  });

  it('has revalidated what shows a document when its write is acknowledged', async () => {
    const [{ documentId } = { documentId: '' }] = await application.strapi
      .documents(ARTICLE)
      .findMany({ status: 'published', fields: ['documentId'], limit: 1 });
    const { headers } = await rawRequest(application, `/api/articles/${documentId}`);
    expect(String(headers['surrogate-key']).split(' ').length).toBeGreaterThan(3);
    expect([headers['cache-control'], headers['cdn-cache-control']]).toEqual(['public, no-cache', 'max-age=3600']);
    await application.strapi
      .documents(ARTICLE)
      .update({ documentId, data: { title: 'Revalidated' } as never, status: 'published' });
    expect(revalidated).toEqual(expect.arrayContaining(['/api/articles', `/api/articles/${documentId}`]));
    expect(new Set(statuses)).toEqual(new Set([204]));
  });

  it('hears nothing of what it was given no answer of', async () => {
    await application.strapi.db.connection('up_users').where('id', '<', 0).update({ blocked: true });
    await application.strapi.db.query('plugin::users-permissions.user').findMany({ limit: 1 });
    expect(revalidated).toEqual([]);
  });
});
