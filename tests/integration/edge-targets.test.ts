import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EdgeKey } from '../../server/src/cache/edge-purge';
import type { EdgeTargetConfig } from '../../server/src/config/edge-config';
import { cacheStore } from '../application/cache-store';
import { logIn } from '../application/admin-session';
import { ROOT } from '../application/paths';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

/** "The edge": a front end that revalidates what a signed webhook names, with the receivers of docs/webhook.md. */

const SECRET = 'a secret of the two';
const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';

type Receiver = (request: Request) => Promise<Response>;

/** The modules that the page shows, and those that it links to. */
const modules = (): readonly string[] => {
  const page = readFileSync(path.join(ROOT, 'docs/webhook.md'), 'utf8');
  const linked = [...page.matchAll(/\]\((examples\/[\w.-]+\.ts)\)/g)].map(([, file = '']) =>
    readFileSync(path.join(ROOT, 'docs', file), 'utf8'),
  );
  return [...[...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code), ...linked];
};

/** Runs one of them, with its framework's modules replaced. */
const documented = <Exported extends object>(word: string, replaced: Readonly<Record<string, unknown>>): Exported => {
  const source = modules().find((code) => code.includes(word));
  if (source === undefined) throw new Error(`docs/webhook.md shows nothing with ${word}`);
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const exported = {};
  const require = createRequire(import.meta.url);
  const provide = (name: string): unknown => replaced[name] ?? require(name);
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

const SITES = { 'Next.js': nextSite, Nuxt: nuxtSite } as const;
type Framework = keyof typeof SITES;
const FRAMEWORKS = Object.keys(SITES) as Framework[];

/** Their handler says itself how long other caches may keep the answer. */
const DIRECTED = { 'Cache-Control': 'public, max-age=600', 'Surrogate-Control': 'max-age=600' };
let duringNext: (() => Promise<unknown>) | undefined;
const probe = probeApi([
  {
    path: '/probe/directed',
    handler: async (ctx, { db }) => {
      ctx.set(DIRECTED);
      const names = await db.query(TAG).findMany({ select: ['name'] });
      await duringNext?.();
      return { names };
    },
  },
]);

let application: Application;
const sites: Partial<Record<Framework, { readonly site: Site; readonly server: Server }>> = {};
const statuses: Record<Framework, number[]> = { 'Next.js': [], Nuxt: [] };
/** The keys that each webhook has sent, the first of them for everything: the plugin purges that when it starts. */
const heard: Record<Framework, Set<string>> = { 'Next.js': new Set(), Nuxt: new Set() };
/** How often each webhook has purged everything. */
const emptied: Record<Framework, number> = { 'Next.js': 0, Nuxt: 0 };
/** The keys that the target of the application's own has been given. */
const purged = new Set<EdgeKey>();
/** Called with the keys of each purge of that target. */
let onPurge: (keys: readonly EdgeKey[]) => void = () => undefined;
let isDown = false;

const serveSite = async (framework: Framework): Promise<EdgeTargetConfig> => {
  const site = SITES[framework]();
  const server = await serve(async (request) => {
    const { keys } = (await request.clone().json()) as { readonly keys: readonly string[] };
    for (const key of keys) heard[framework].add(key);
    const [everything = ''] = heard[framework];
    const answer = await site.receive(request);
    if (keys.includes(everything)) emptied[framework] += 1;
    statuses[framework].push(answer.status);
    return answer;
  });
  sites[framework] = { site, server };
  const { port } = server.address() as AddressInfo;
  return { name: 'webhook', url: `http://127.0.0.1:${port}/api/revalidate`, secret: SECRET };
};

beforeAll(async () => {
  process.env.REST_CACHE_SECRET = SECRET;
  application = await startApplication({
    files: probe.files,
    restCache: {
      strategy: {
        lane: 'front',
        contentTypes: [ARTICLE, 'api::author.author', { contentType: TAG, routes: probe.paths }],
        edge: {
          header: 'Surrogate-Key',
          // The default of one second may be too short on a busy machine.
          timeout: 10_000,
          targets: [
            ...(await Promise.all(FRAMEWORKS.map(serveSite))),
            {
              name: 'function',
              purge: ({ keys }) => {
                if (isDown) throw new Error('down');
                for (const key of keys) purged.add(key);
                onPurge(keys);
              },
            },
          ],
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
  for (const { server } of Object.values(sites)) {
    server.close();
    server.closeAllConnections();
  }
});

describe.each(FRAMEWORKS)('a site of %s behind the webhook', (framework) => {
  const site = (): Site => {
    const found = sites[framework];
    if (found === undefined) throw new Error(`${framework} is not served`);
    return found.site;
  };

  // A purge is repeated three seconds later: that of the start, and that of the site before.
  beforeAll(async () => {
    const purges = 1 + FRAMEWORKS.indexOf(framework);
    await vi.waitFor(() => expect(emptied[framework]).toBe(2 * purges), { timeout: 60_000 });
  });

  it('forgets what shows a document, and nothing else, when its write is acknowledged', async () => {
    const { strapi } = application;
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
      const first = await site().fromStrapi(one);
      expect(await site().fromStrapi(one)).toBe(first);
    }
    expect(site().kept()).toEqual(paths);
    const author = (shown as unknown as { author: { documentId: string } }).author;
    await strapi.documents('api::author.author').update({ documentId: author.documentId, data: { name } as never });
    expect(site().kept()).toEqual(paths.slice(1));
    expect(JSON.stringify(await site().fromStrapi(paths[0] ?? ''))).toContain(name);
    expect(new Set(statuses[framework])).toEqual(new Set([204]));
  });

  it('forgets everything where everything is purged', async () => {
    await site().fromStrapi('/api/articles?pagination[pageSize]=1');
    expect(site().kept()).not.toEqual([]);
    await cacheStore(application).reset();
    expect(site().kept()).toEqual([]);
  });

  it('refuses what is not signed', async () => {
    const { status } = await site().receive(
      new Request('http://front.end/api', { method: 'POST', body: '{ "keys": [] }' }),
    );
    expect(status).toBe(401);
  });
});

/** "Keys with every answer", whichever lane sends it. */
describe('on the miss, on the second answer, which is the route lane’s, and in front', () => {
  const keysOf = async (): Promise<string[]> => {
    const { headers } = await rawRequest(application, '/api/tags');
    expect(headers['cache-control']).toContain('s-maxage');
    return String(headers['surrogate-key']).split(' ');
  };

  it('has a purge of single entries reach the edge as well', async () => {
    const keys = await keysOf();
    const isPurged = (): boolean => keys.some((key) => purged.has(key as EdgeKey));
    const store = cacheStore(application);
    purged.clear();
    expect(await store.del((await store.keys())[0] ?? '')).toBe(true);
    expect(isPurged()).toBe(true);
    const again = await keysOf();
    purged.clear();
    const admin = await logIn(application);
    expect(await admin.post('/rest-cache/purge-entries', { search: '/api/tags' })).toMatchObject({ status: 200 });
    expect(again.some((key) => purged.has(key as EdgeKey))).toBe(true);
    purged.clear();
  });

  it('leaves a lifetime of the handler to an answer with keys, and to no answer that a write has overtaken', async () => {
    const told = async () => {
      const { headers } = await rawRequest(application, '/api/probe/directed');
      const { 'cache-control': all, 'surrogate-control': edge = '', 'surrogate-key': keys = '' } = headers;
      return [all, edge, keys !== ''];
    };
    const create = () => application.strapi.db.query(TAG).create({ data: { name: randomUUID() } });
    duringNext = create;
    expect(await told()).toEqual(['no-store', '', false]);
    duringNext = undefined;
    const kept = [...Object.values(DIRECTED), true];
    for (let reads = 0; reads < 4; reads += 1) expect(await told()).toEqual(kept);
  });

  it('gives a minute at most while the target is down, so that what is not purged ends by itself', async () => {
    const told = async (): Promise<string | undefined> =>
      (await rawRequest(application, '/api/tags')).headers['cache-control'];
    await expect.poll(told, { timeout: 60_000 }).toContain('s-maxage=3600');
    isDown = true;
    await application.strapi.documents(TAG).create({ data: { name: 'Unheard' } as never, status: 'published' });
    // A miss, and hits in any lane.
    for (let reads = 0; reads < 4; reads += 1)
      expect(await told()).toBe('public, max-age=0, must-revalidate, s-maxage=60');
    isDown = false;
    await expect.poll(told, { timeout: 60_000 }).toContain('s-maxage=3600');
  });

  it('says the same keys with a miss and with every hit, those of permissions among them', async () => {
    const first = await keysOf();
    for (let hits = 0; hits < 4; hits += 1) expect(await keysOf()).toEqual(first);
    // Each purge by itself: those of earlier writes are repeated three seconds later.
    const purgedBy = async (write: () => Promise<unknown>): Promise<readonly string[][]> => {
      const purges: string[][] = [];
      onPurge = (keys) => void purges.push(first.filter((key) => keys.includes(key as EdgeKey)));
      await write().finally(() => (onPurge = () => undefined));
      return purges;
    };
    const ofContent = (
      await purgedBy(() =>
        application.strapi.documents(TAG).create({ data: { name: 'New' } as never, status: 'published' }),
      )
    ).flat();
    const isOfPermissions = (key: string): boolean => !ofContent.includes(key);
    const ofPermissions = (
      await purgedBy(() =>
        application.strapi.db
          .query('plugin::users-permissions.permission')
          .deleteMany({ where: { action: `${TAG}.find` } }),
      )
    ).find((keys) => keys.some(isOfPermissions));
    expect(ofContent).not.toEqual([]);
    expect(ofPermissions?.every(isOfPermissions)).toBe(true);
  });
});
