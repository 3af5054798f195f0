import { Child } from './child';
import { compete, type Contestant } from './contest';
import { Load, type Requests } from './load';
import { DEFAULT_MIDDLEWARES, startBare, startStrapi, WITHOUT_LOG, type StrapiSettings } from './strapi-process';
import {
  byDefault,
  FRONT_END,
  HOMEPAGE,
  LIST,
  pageLoad,
  PATHS,
  restCache,
  signIn,
  warm,
  writeResponses,
} from './subjects';
import type { Turns } from './turns';
import { measureWrites, type WriteCost } from './writes';

export interface Effort {
  /** Turns of each contestant. */
  readonly hits: number;
  readonly misses: number;
  readonly writes: number;
}

/** What one generation of processes cost. */
export interface Generation {
  /** Microseconds of CPU per request; hits and misses by path. */
  readonly hits: Readonly<Record<string, Turns>>;
  readonly pageLoad: Turns;
  readonly misses: Readonly<Record<string, Turns>>;
  readonly writes: ReadonlyMap<string, WriteCost>;
}

/** An application whose hits are measured. */
export type Applications = Readonly<Record<string, StrapiSettings>>;

/** What the ratios need. */
export const APPLICATIONS: Applications = {
  front: { middlewares: WITHOUT_LOG, plugins: restCache(), switchable: true },
  logged: { middlewares: DEFAULT_MIDDLEWARES, plugins: restCache() },
  router: { middlewares: WITHOUT_LOG, plugins: restCache({ lane: 'router' }) },
  'own global middleware': { middlewares: [...WITHOUT_LOG, 'global::served-by'], plugins: restCache() },
  compressed: { middlewares: [...WITHOUT_LOG, 'strapi::compression'], plugins: restCache() },
};

const LIST_QUERY = LIST.slice(LIST.indexOf('?')).replace('&populate=author', '');

/** Routes whose hits stay on the inner lane. */
const INNER = {
  populate: `${FRONT_END}/list${LIST_QUERY}`,
  text: `${FRONT_END}/text${LIST_QUERY}`,
  policy: `${FRONT_END}/policed${LIST_QUERY}&populate=author`,
};

/** Starts everybody anew, measures, and stops them. */
export const measureGeneration = async (
  { hits, misses, writes }: Effort,
  folder: string,
  others: Applications = {},
): Promise<Generation> => {
  const started: Child[] = [];
  const start = async (starting: Promise<Child>): Promise<Child> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const load = await Load.start();
  const stop = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
  };
  try {
    const boot = async (applications: Applications): Promise<Record<string, Child>> => {
      const booting = Object.entries(applications).map(
        async ([name, settings]) => [name, await start(startStrapi(name, settings))] as const,
      );
      return Object.fromEntries(await Promise.all(booting));
    };
    const { front, compressed, ...plain } = await boot({ ...APPLICATIONS, ...others });
    if (front === undefined || compressed === undefined) throw new Error('not everybody has started');
    const responses = await writeResponses(front, folder);
    const [koa, http] = [await start(startBare('koa', responses)), await start(startBare('http', responses))];
    const hitsOf = async (path: string): Promise<Turns> => {
      const caller = await signIn(front);
      const { etag } = (await warm(front, path)).headers;
      const holding = { 'if-none-match': String(etag) };
      const contestants: Record<string, Contestant> = {
        koa: { server: koa, paths: [path] },
        http: { server: http, paths: [path] },
        front: { server: front, paths: [path] },
        ...Object.fromEntries(Object.entries(plain).map(([name, server]) => [name, { server, paths: [path] }])),
        authenticated: { server: front, paths: [path], headers: caller },
        'koa 304': { server: koa, paths: [path], headers: holding },
        'front 304': { server: front, paths: [path], headers: holding },
      };
      if (path === LIST)
        Object.assign(contestants, {
          ...Object.fromEntries(Object.entries(INNER).map(([name, own]) => [name, { server: front, paths: [own] }])),
          uncached: { server: front, paths: [INNER.populate], isWithoutPlugin: true },
          compression: { server: compressed, paths: [INNER.populate], headers: { 'accept-encoding': 'gzip' } },
        });
      for (const { server, paths, headers } of Object.values(contestants))
        for (const own of paths) if (server !== koa && server !== http) await warm(server, own, headers);
      return compete(contestants, load, hits);
    };
    const hit = { [LIST]: await hitsOf(LIST), [HOMEPAGE]: await hitsOf(HOMEPAGE) };
    const page: Requests = { paths: await pageLoad(front), connections: 12 };
    for (const path of page.paths) await warm(front, path);
    const pages = await compete(
      {
        uncached: { server: front, ...page, isWithoutPlugin: true },
        cached: { server: front, ...page },
      },
      load,
      Math.ceil(hits / 4),
    );
    await stop();

    // One process whose plugin is taken out and put back does not differ from itself.
    const switched = await start(
      startStrapi('switched', { middlewares: WITHOUT_LOG, plugins: byDefault(), switchable: true }),
    );
    const missed: Record<string, Turns> = {};
    for (const path of PATHS) {
      const unique: Contestant = { server: switched, paths: [path], unique: true, connections: 4 };
      missed[path] = await compete({ without: { ...unique, isWithoutPlugin: true }, with: unique }, load, misses);
    }
    return { hits: hit, pageLoad: pages, misses: missed, writes: await measureWrites(switched, writes) };
  } finally {
    await Promise.all([load.stop(), stop()]);
  }
};
