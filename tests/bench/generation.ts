import { Child } from './child';
import { compete, type Contestant } from './contest';
import { Load, type Requests } from './load';
import { measureMisses, startSwitchable, type Misses } from './misses';
import { DEFAULT_MIDDLEWARES, startBare, startStrapi, WITHOUT_LOG, type StrapiSettings } from './strapi-process';
import { FRONT_END, HOMEPAGE, LIST, pageLoad, restCache, signIn, warm, withoutCache, writeResponses } from './subjects';
import type { Turns } from './turns';
import { measureWrites, type WriteCost } from './writes';

export interface Effort {
  /** The number of turns of each contestant. */
  readonly hits: number;
  readonly misses: number;
  readonly writes: number;
}

/** The costs measured with one generation of processes. */
export interface Generation {
  /**
   * Microseconds of CPU per request, by path and by contestant: the whole contest that the contestant was in, including
   * its base.
   */
  readonly hits: Readonly<Record<string, Readonly<Record<string, Turns>>>>;
  readonly pageLoad: Turns;
  readonly misses: Misses;
  readonly writes: ReadonlyMap<string, WriteCost>;
}

/** The applications whose hits are measured, by name. */
export type Applications = Readonly<Record<string, StrapiSettings>>;

/** The applications that the ratios need. They are asked only for hits. */
export const APPLICATIONS: Applications = {
  front: { middlewares: WITHOUT_LOG, plugins: restCache() },
  logged: { middlewares: DEFAULT_MIDDLEWARES, plugins: restCache() },
  route: { middlewares: WITHOUT_LOG, plugins: restCache({ lane: 'route' }) },
  'own global middleware': { middlewares: [...WITHOUT_LOG, 'global::served-by'], plugins: restCache() },
};

/**
 * Applications whose routes have functions of their own. Their requests are answered from the cache and computed in
 * turn, which affects a process, so they run in processes of their own.
 */
const FRONT_ENDS: Applications = {
  'front end': { middlewares: WITHOUT_LOG, plugins: restCache(), switchable: true },
  repeatable: { middlewares: WITHOUT_LOG, plugins: restCache({ repeatable: true }) },
  'front traced': { middlewares: WITHOUT_LOG, plugins: restCache(), isTraced: true },
  compressed: { middlewares: [...WITHOUT_LOG, 'strapi::compression'], plugins: restCache() },
};

const LIST_QUERY = LIST.slice(LIST.indexOf('?')).replace('&populate=author', '');

/** Routes with functions of their own, whose hits stay there. */
const OWN = {
  populate: `${FRONT_END}/list${LIST_QUERY}`,
  text: `${FRONT_END}/text${LIST_QUERY}`,
  policy: `${FRONT_END}/policed${LIST_QUERY}&populate=author`,
};

/** Starts new processes, measures, and stops them. */
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
    const { front, ...plain } = await boot({ ...APPLICATIONS, ...others });
    if (front === undefined) throw new Error('the front lane has not started');
    const responses = await writeResponses(front, folder);
    const [koa, http] = [await start(startBare('koa', responses)), await start(startBare('http', responses))];
    // The cost of a response in Strapi's process before any Strapi code runs.
    const strapi = await start(startStrapi('Strapi alone', { middlewares: WITHOUT_LOG, plugins: withoutCache }));
    const inStrapi = strapi.at((await strapi.ask('serve bare', responses)) as number);
    // Two or three contestants at a time, because each leaves its data in the processor's caches for the next one.
    const against = async (
      base: readonly [name: string, contestant: Contestant],
      contestants: Readonly<Record<string, Contestant>>,
      rounds = hits,
    ): Promise<Record<string, Turns>> => {
      const contests: Record<string, Turns> = {};
      for (const [name, contestant] of Object.entries(contestants)) {
        const turns = await compete({ [base[0]]: base[1], [name]: contestant }, load, rounds);
        contests[name] = turns;
        contests[base[0]] ??= turns;
      }
      return contests;
    };
    const hitsOf = async (target: string): Promise<Record<string, Turns>> => {
      const caller = await signIn(front);
      const holding = { 'if-none-match': String((await warm(front, target)).headers.etag) };
      const requests: Record<string, Contestant> = {
        http: { server: http, paths: [target] },
        'http in Strapi': { server: inStrapi, paths: [target] },
        front: { server: front, paths: [target] },
        ...Object.fromEntries(Object.entries(plain).map(([name, server]) => [name, { server, paths: [target] }])),
        authenticated: { server: front, paths: [target], headers: caller },
      };
      for (const { server, headers } of Object.values(requests)) await warm(server, target, headers);
      const bare: Contestant = { server: koa, paths: [target] };
      return {
        ...(await against(['koa', bare], requests)),
        ...(await against(['koa 304', { ...bare, headers: holding }], {
          'front 304': { server: front, paths: [target], headers: holding },
          'http in Strapi 304': { server: inStrapi, paths: [target], headers: holding },
        })),
      };
    };
    const [onList, onHomepage] = [await hitsOf(LIST), await hitsOf(HOMEPAGE)];

    const { 'front end': frontEnd, repeatable, compressed, 'front traced': traced } = await boot(FRONT_ENDS);
    const { route } = plain;
    if (!frontEnd || !repeatable || !compressed || !traced || !route) throw new Error('not everybody has started');
    const of = (server: Child, own: string, more: Partial<Contestant> = {}): Contestant => ({
      server,
      paths: [own],
      ...more,
    });
    const tracedKoa = await start(startBare('koa', responses, true));
    await warm(traced, LIST);
    const gzip = { 'accept-encoding': 'gzip' };
    for (const own of Object.values(OWN)) await warm(frontEnd, own);
    await warm(compressed, OWN.populate, gzip);
    const populate = of(frontEnd, OWN.populate);
    const ownFunctions = {
      ...(await against(['koa traced', of(tracedKoa, LIST)], { 'front traced': of(traced, LIST) })),
      ...(await against(['populate', populate], {
        text: of(frontEnd, OWN.text),
        compression: of(compressed, OWN.populate, { headers: gzip }),
        uncached: of(frontEnd, OWN.populate, { isWithoutPlugin: true, connections: 8 }),
      })),
      ...(await against(['route', of(route, LIST)], { populate, policy: of(frontEnd, OWN.policy) })),
    };
    const page: Requests = { paths: await pageLoad(frontEnd), connections: 12 };
    for (const server of [frontEnd, repeatable]) for (const own of page.paths) await warm(server, own);
    const pages = await compete(
      {
        uncached: { server: frontEnd, ...page, isWithoutPlugin: true },
        cached: { server: frontEnd, ...page },
        repeatable: { server: repeatable, ...page },
      },
      load,
      Math.ceil(hits / 4),
    );
    await stop();

    const missed = await measureMisses(misses);
    const switched = await start(startSwitchable());
    return {
      hits: { [LIST]: { ...ownFunctions, ...onList }, [HOMEPAGE]: onHomepage },
      pageLoad: pages,
      misses: missed,
      writes: await measureWrites(switched, writes),
    };
  } finally {
    await Promise.all([load.stop(), stop()]);
  }
};
