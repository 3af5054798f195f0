import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../application/paths';
import { startApplication, type Application } from '../application/start-application';

/** "The edge": a front end that revalidates what a signed webhook names, with the receiver shown in docs/cdns-and-proxies.md. */

const SECRET = 'a secret of the two';
const ARTICLE = 'api::article.article';

type Receiver = (request: Request) => Promise<Response>;

/** Runs a module shown on the page, with its framework's modules replaced. */
const documented = <Exported extends object>(word: string, modules: Readonly<Record<string, unknown>>): Exported => {
  const page = readFileSync(path.join(ROOT, 'docs/cdns-and-proxies.md'), 'utf8');
  const shown = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);
  const source = shown.find((code) => code.includes(word));
  if (source === undefined) throw new Error(`docs/cdns-and-proxies.md shows nothing with ${word}`);
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const exported = {};
  const require = createRequire(import.meta.url);
  const provide = (name: string): unknown => modules[name] ?? require(name);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the page's own code
  new Function('require', 'exports', outputText)(provide, exported);
  return exported as Exported;
};

/** A front end that caches Strapi's answers with the code shown on the page. */
interface Site {
  readonly fromStrapi: (path: string) => Promise<unknown>;
  readonly receive: Receiver;
  /** The paths whose answers the front end has cached. */
  readonly kept: () => readonly string[];
  /** Empties the front end's cache, as a new deployment does. */
  readonly empty: () => void;
}

/** The page's code for Next.js, with `'use cache'` and `next/cache` replaced. */
const nextSite = (): Site => {
  const items = new Map<string, { readonly tags: ReadonlySet<string>; readonly answer: unknown }>();
  let tags = new Set<string>();
  let isKept = true;
  const cache = {
    cacheLife: (profile: string | { expire: number }) => (isKept = typeof profile === 'string' || profile.expire > 0),
    cacheTag: (tag: string) => tags.add(tag),
    revalidateTag: (tag: string, { expire }: { expire: number }) => {
      for (const [path, item] of items) if (expire === 0 && item.tags.has(tag)) items.delete(path);
    },
  };
  const { fromStrapi } = documented<Pick<Site, 'fromStrapi'>>("'use cache'", { 'next/cache': cache });
  return {
    fromStrapi: async (path) => {
      const known = items.get(path);
      if (known !== undefined) return known.answer;
      tags = new Set();
      const answer = await fromStrapi(path);
      if (isKept) items.set(path, { tags, answer });
      return answer;
    },
    receive: documented<{ POST: Receiver }>('revalidateTag(', { 'next/cache': cache }).POST,
    kept: () => [...items.keys()],
    empty: () => items.clear(),
  };
};

/** The page's code for Nuxt, with Nitro's functions replaced. */
const nuxtSite = (): Site => {
  const items = new Map<string, unknown>();
  const storage = {
    getItem: async (name: string) => items.get(name) ?? null,
    setItem: async (name: string, item: unknown) => void items.set(name, item),
    removeItem: async (name: string) => void items.delete(name),
    getKeys: async () => [...items.keys()],
  };
  const { fromStrapi, forgetFromStrapi } = documented<{
    fromStrapi: Site['fromStrapi'];
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
    // Errors that a handler throws become its response.
    receive: (request) => handle(request).catch((thrown: unknown) => thrown as Response),
    kept: () => [...items.keys()],
    empty: () => items.clear(),
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

describe.each([
  ['Next.js', nextSite],
  ['Nuxt', nuxtSite],
])('a site of %s behind the webhook', (_framework, siteOf) => {
  let application: Application;
  let frontEnd: Server;
  let site: Site;
  const statuses: number[] = [];
  /** The keys that the webhook has sent. */
  const heard = new Set<string>();

  beforeAll(async () => {
    process.env.REST_CACHE_SECRET = SECRET;
    site = siteOf();
    frontEnd = await serve(async (request) => {
      const { keys } = (await request.clone().json()) as { readonly keys: readonly string[] };
      for (const key of keys) heard.add(key);
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
            // The default of one second may be too short on a busy machine.
            timeout: 10_000,
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
    // A retry must not find what the first try has stored, and must write another name: an unchanged value is not
    // purged.
    site.empty();
    const name = `Shown anew ${randomUUID()}`;
    const [shown, other] = await strapi.documents(ARTICLE).findMany({
      status: 'published',
      fields: ['documentId'],
      populate: ['author'],
      filters: { author: { id: { $notNull: true } } },
      limit: 2,
    });
    const paths = [`/api/articles/${shown?.documentId}?populate=author`, `/api/articles/${other?.documentId}`];
    for (const one of paths) {
      // A miss. The front end caches the first answer, too.
      const first = await site.fromStrapi(one);
      expect(await site.fromStrapi(one)).toBe(first);
    }
    expect(site.kept()).toEqual(paths);
    const author = (shown as unknown as { author: { documentId: string } }).author;
    await strapi.documents('api::author.author').update({ documentId: author.documentId, data: { name } as never });
    expect(site.kept()).toEqual(paths.slice(1));
    expect(JSON.stringify(await site.fromStrapi(paths[0] ?? ''))).toContain(name);
    expect(new Set(statuses)).toEqual(new Set([204]));
  });

  // No retry: the webhook repeats keys that it has sent before, so a second try could not fail.
  it('hears of nothing that it was given no answer of', { retry: 0 }, async () => {
    const before = [...heard];
    await application.strapi.db
      .query('plugin::users-permissions.user')
      .create({ data: { username: 'unheard', email: 'unheard@example.com' } });
    expect([...heard]).toEqual(before);
  });

  it('forgets everything where everything is purged', async () => {
    await site.fromStrapi('/api/articles?pagination[pageSize]=1');
    expect(site.kept()).not.toEqual([]);
    await application.strapi.plugin('rest-cache').service('cacheStore').reset();
    expect(site.kept()).toEqual([]);
  });

  it('refuses what is not signed', async () => {
    const { status } = await site.receive(
      new Request('http://front.end/api', { method: 'POST', body: '{ "keys": [] }' }),
    );
    expect(status).toBe(401);
  });
});
