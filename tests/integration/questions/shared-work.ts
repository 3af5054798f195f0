import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Core } from '@strapi/strapi';
import { logIn, type AdminSession } from '../../application/admin-session';
import { probeApi, type ProbeContext, type ProbeRoute } from '../../application/probe';
import { rawRequest, type RawRequest } from '../../application/raw-request';
import type { Application } from '../../application/start-application';
import type { Questions } from './questions';

/** Work that requests share. What it reads is read for another request or for none, but the answer depends on it. */

const TAG = 'api::tag.tag';

/** Something that happens once and can be awaited. */
class Event {
  happen = (): void => undefined;
  readonly happened = new Promise<void>((resolve) => (this.happen = resolve));
}

/** Whether the shared work has read before others join it (`before`), or reads only afterwards (`after`). */
type Moment = 'before' | 'after';

/** One round: the work begins, a request joins it, and then it runs to its end. */
class Round {
  readonly begun = new Event();
  joined = new Event();
  readonly goOn = new Event();
  /** The work's answer, once there is one. */
  name: string | undefined;
  #work: Promise<string> | undefined;

  constructor(
    readonly strapi: Core.Strapi,
    readonly moment: Moment,
  ) {}

  /** Shares the work like `inFlight ??= find()`. */
  share(): Promise<string> {
    return (this.#work ??= this.#read());
  }

  async #read(): Promise<string> {
    const find = async (): Promise<string> => {
      const found = (await this.strapi.db.query(TAG).findOne({ where: { slug: 'shown' } })) as { name: string };
      return found.name;
    };
    const early = this.moment === 'before' ? await find() : undefined;
    this.begun.happen();
    await this.goOn.happened;
    this.name = early ?? (await find());
    done.emit('done', this.name);
    return this.name;
  }
}

/** Tells of each round's end. */
const done = new EventEmitter();

let round: Round;

/** A worker of the process. It runs its jobs outside of any request. */
const jobs: Array<() => void> = [];
let wake = new Event();
let isOpen = true;
const enqueue = <T>(task: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    jobs.push(() => void task().then(resolve, reject));
    wake.happen();
  });
const serve = async (): Promise<void> => {
  while (isOpen) {
    jobs.splice(0).forEach((job) => job());
    await wake.happened;
    wake = new Event();
  }
};

/** Loads once for all requests of one turn of the event loop. */
const waiting: Array<(name: string) => void> = [];
const load = (): Promise<string> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length > 1) return;
    setImmediate(() => {
      void round.share().then((name) => waiting.splice(0).forEach((answer) => answer(name)));
    });
  });

const others = (strapi: Core.Strapi): Promise<number> => strapi.db.query('api::category.category').count();

/** How a handler joins the work, and what else it reads. */
const JOINS: Readonly<Record<string, (strapi: Core.Strapi, get: () => Promise<string>) => Promise<string>>> = {
  'reads nothing itself': (_strapi, get) => get(),
  'has read something of its own': async (strapi, get) => (await others(strapi), get()),
  'reads something of its own meanwhile': async (strapi, get) => (await Promise.all([get(), others(strapi)]))[0],
  'reads something of its own afterwards': async (strapi, get) => {
    const name = await get();
    await others(strapi);
    return name;
  },
};

const SOURCES: Readonly<Record<string, () => Promise<string>>> = {
  promise: () => round.share(),
  queue: () => enqueue(() => round.share()),
  batch: load,
  event: () => new Promise((resolve) => done.once('done', resolve)),
  polling: async () => {
    while (round.name === undefined) await delay(1);
    return round.name;
  },
};

const joined = async (name: Promise<string>): Promise<string> => {
  round.joined.happen();
  return name;
};

const joining = Object.keys(SOURCES).flatMap((source, s) =>
  Object.entries(JOINS).map(([how, join], j) => ({
    source,
    how,
    path: `/probe/join-${s}-${j}`,
    handler: async (_ctx: ProbeContext, strapi: Core.Strapi) => ({
      name: await join(strapi, () => joined((SOURCES[source] as () => Promise<string>)())),
    }),
  })),
);

const lead = async (): Promise<object> => ({ name: await round.share() });

const routes: ProbeRoute[] = [
  ...joining.map(({ path, handler }) => ({ path, handler })),
  { path: '/probe/lead', handler: lead },
  { path: '/probe/lead-uncached', handler: lead },
  {
    path: '/probe/lead-and-leave',
    handler: () => {
      void round.share();
      return { left: true };
    },
  },
];
const probe = probeApi(routes);

interface Leader {
  readonly who: string;
  readonly source: string;
  readonly moments: readonly Moment[];
  readonly begin: (application: Application, path: string) => Promise<unknown>;
}

let unique = 0;
const once = (path: string): string => `${path}?n=${(unique += 1)}`;

const asking =
  (path: string, options?: RawRequest) =>
  (application: Application): Promise<unknown> =>
    rawRequest(application, once(path), options);

const both: readonly Moment[] = ['before', 'after'];

/** Who begins the work, and where others then get it. */

const LEADERS: ReadonlyArray<readonly [Leader['who'], Leader['source'], Leader['moments'], Leader['begin']]> = [
  ['another request', 'promise', both, asking('/api/probe/lead')],
  ['a HEAD', 'promise', both, asking('/api/probe/lead', { method: 'HEAD' })],
  ['a request that passes the cache by', 'promise', both, asking('/api/probe/lead', { headers: { cookie: 'a=b' } })],
  ['a request of a route that is not cached', 'promise', both, asking('/api/probe/lead-uncached')],
  // Only `after`: what was read before any request came is remembered between requests, not shared by them.
  ['a request that is over', 'promise', ['after'], asking('/api/probe/lead-and-leave')],
  ['nobody', 'promise', ['after'], () => round.share()],
  ['a queue for another request', 'queue', both, asking('/api/probe/join-1-0')],
  ['a batch of several requests', 'batch', both, asking('/api/probe/join-2-0')],
  ['another request, which is waited for by event', 'event', both, asking('/api/probe/lead-uncached')],
  ['another request, which is waited for by polling', 'polling', both, asking('/api/probe/lead-uncached')],
];

const cases = LEADERS.map(([who, source, moments, begin]): Leader => ({ who, source, moments, begin })).flatMap(
  (leader) =>
    leader.moments.flatMap((moment) =>
      joining.filter(({ source }) => source === leader.source).map(({ how, path }) => ({ leader, moment, how, path })),
    ),
);

export const sharedWork: Questions = {
  about: 'shared work',
  files: probe.files,
  contentTypes: [
    { contentType: 'api::article.article', routes: probe.paths.filter((path) => !path.endsWith('uncached')) },
  ],
  ask: (application) => {
    let admin: AdminSession;

    beforeAll(async () => {
      isOpen = true;
      void serve();
      admin = await logIn(application);
      await application.strapi.db.query(TAG).create({ data: { name: 'shown 0', slug: 'shown' } });
    });
    afterAll(() => {
      isOpen = false;
      wake.happen();
    });

    const ask = async (path: string): Promise<{ cache: unknown; name: unknown }> => {
      const { status, headers, body } = await rawRequest(application, path);
      expect(status, body.toString()).toBe(200);
      return { cache: headers['x-cache'], name: (JSON.parse(body.toString()) as { name: unknown }).name };
    };
    const rename = async (): Promise<string> => {
      const name = `shown ${(unique += 1)}`;
      await application.strapi.db.query(TAG).update({ where: { slug: 'shown' }, data: { name } });
      return name;
    };

    it.each(cases)(
      'begun by $leader.who, joined by a handler that $how ($moment it was read): a change shows on the next request',
      async ({ leader, moment, path }) => {
        const before = await rename();
        round = new Round(application.strapi, moment);
        const { begun } = round;
        const led = leader.begin(application, path);
        await begun.happened;
        if (leader.who === 'a request that is over') await led;
        const target = once(`/api${path}`);
        round.joined = new Event();
        const answer = ask(target);
        await round.joined.happened;
        round.goOn.happen();
        expect([await answer, await led].at(0)).toEqual({ cache: 'MISS', name: before });
        // From here on nothing is shared.
        expect(await ask(target)).toEqual({ cache: 'HIT', name: before });
        round = new Round(application.strapi, 'after');
        const name = await rename();
        const next = ask(target);
        await Promise.race([round.joined.happened, next]);
        round.goOn.happen();
        // Others do the work where the handler begins none.
        void round.share();
        expect(await next).toEqual({ cache: 'MISS', name });
      },
    );

    it('is told by Explain', async () => {
      round = new Round(application.strapi, 'after');
      const led = rawRequest(application, once('/api/probe/lead'));
      await round.begun.happened;
      const target = once(`/api${joining[0]?.path ?? ''}`);
      round.joined = new Event();
      const answer = ask(target);
      await round.joined.happened;
      round.goOn.happen();
      await Promise.all([led, answer]);
      const { body } = await admin.post<{ entry: unknown }>('/rest-cache/explain', {
        url: target,
        as: { kind: 'anonymous' },
      });
      expect(body.entry).toMatchObject({ readElsewhere: true });
    });
  },
};
