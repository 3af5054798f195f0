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

/** A module that the page shows, with what its framework gives it. */
const documented = <Exported extends object>(word: string, modules: Readonly<Record<string, unknown>>): Exported => {
  const page = readFileSync(path.join(ROOT, 'docs/edge.md'), 'utf8');
  const shown = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);
  const source = shown.find((code) => code.includes(word));
  if (source === undefined) throw new Error(`docs/edge.md shows nothing with ${word}`);
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const exported = {};
  const require = createRequire(import.meta.url);
  const provide = (name: string): unknown => modules[name] ?? require(name);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the page's own code
  new Function('require', 'exports', outputText)(provide, exported);
  return exported as Exported;
};

/** The route handler of the page, with `next/cache` replaced. */
const receiverOfNext = (): Receiver => {
  const cache = { revalidateTag: (tag: string) => revalidated.push(tag) };
  return documented<{ POST: Receiver }>('revalidateTag(', { 'next/cache': cache }).POST;
};

interface NuxtSite {
  readonly fromStrapi: (path: string) => Promise<unknown>;
  readonly receive: Receiver;
  /** Paths whose answers it keeps. */
  readonly kept: () => readonly string[];
}

/** What the page shows for Nuxt, with what Nitro gives to it replaced. */
const nuxtSite = (): NuxtSite => {
  const items = new Map<string, unknown>();
  const storage = {
    getItem: async (name: string) => items.get(name) ?? null,
    setItem: async (name: string, item: unknown) => void items.set(name, item),
    removeItem: async (name: string) => void items.delete(name),
    getKeys: async () => [...items.keys()],
  };
  const { fromStrapi, forgetFromStrapi } = documented<{
    fromStrapi: NuxtSite['fromStrapi'];
    forgetFromStrapi: (purged: ReadonlySet<string>) => Promise<void>;
  }>('export const forgetFromStrapi', { '#imports': { useStorage: () => storage } });
  const { default: handle } = documented<{ default: Receiver }>('forgetFromStrapi(new Set', {
    '#imports': {
      forgetFromStrapi,
      defineEventHandler: (handler: unknown) => handler,
      readRawBody: (request: Request) => request.text(),
      getHeader: ({ headers }: Request, name: string) => headers.get(name),
      createError: ({ statusCode }: { statusCode: number }) => new Response(null, { status: statusCode }),
      sendNoContent: () => new Response(null, { status: 204 }),
    },
  });
  return {
    fromStrapi,
    // What a handler throws is its answer.
    receive: (request) => handle(request).catch((thrown: unknown) => thrown as Response),
    kept: () => [...items.keys()],
  };
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
    const receive = receiverOfNext();
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

describe('a Nuxt site behind the webhook', () => {
  let application: Application;
  let frontEnd: Server;
  let site: NuxtSite;
  const statuses: number[] = [];

  beforeAll(async () => {
    process.env.REST_CACHE_SECRET = SECRET;
    site = nuxtSite();
    frontEnd = await serve(async (request) => {
      const answer = await site.receive(request);
      statuses.push(answer.status);
      return answer;
    });
    const { port } = frontEnd.address() as AddressInfo;
    application = await startApplication({
      restCache: {
        strategy: {
          contentTypes: [ARTICLE, 'api::author.author'],
          edge: {
            header: 'Surrogate-Key',
            targets: [{ name: 'webhook', url: `http://127.0.0.1:${port}/api/revalidate`, secret: SECRET }],
          },
        },
      },
    });
    process.env.STRAPI_URL = application.origin;
  });

  afterAll(async () => {
    delete process.env.REST_CACHE_SECRET;
    delete process.env.STRAPI_URL;
    await application.stop();
    frontEnd.close();
    frontEnd.closeAllConnections();
  });

  it('forgets what shows a document, and nothing else, when its write is acknowledged', async () => {
    const { strapi } = application;
    const [shown, other] = await strapi.documents(ARTICLE).findMany({
      status: 'published',
      fields: ['documentId'],
      populate: ['author'],
      filters: { author: { id: { $notNull: true } } },
      limit: 2,
    });
    const paths = [`/api/articles/${shown?.documentId}?populate=author`, `/api/articles/${other?.documentId}`];
    for (const one of paths) {
      // A miss, which is what its first reader gets, and what it keeps.
      const first = await site.fromStrapi(one);
      expect(await site.fromStrapi(one)).toBe(first);
    }
    expect(site.kept()).toEqual(paths);
    const author = (shown as unknown as { author: { documentId: string } }).author;
    await strapi
      .documents('api::author.author')
      .update({ documentId: author.documentId, data: { name: 'Nuxt knows' } as never });
    expect(site.kept()).toEqual(paths.slice(1));
    expect(JSON.stringify(await site.fromStrapi(paths[0] ?? ''))).toContain('Nuxt knows');
    expect(new Set(statuses)).toEqual(new Set([204]));
  });

  it('refuses what is not signed', async () => {
    const { status } = await site.receive(
      new Request('http://front.end/api', { method: 'POST', body: '{ "keys": [] }' }),
    );
    expect(status).toBe(401);
  });
});
