import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { WORK } from '../application/paths';
import { providerUnderTest, redisUrl } from '../application/provider-under-test';
import { startApplication, type Application } from '../application/start-application';
import { Answers, type Finding } from './answers';
import { callersOf, fullToken, usersInRoles } from './callers';
import { ownDatabase, type DatabaseName, type OwnDatabase } from './databases';
import { graphqlUrls } from './graphql/urls';
import type { Lane } from './lane';
import { FOREIGN } from './paths';
import { settings } from './settings';
import { Twin } from './twin';
import { urlsByRole, urlsOf, type Url } from './urls';
import { World, type Kind } from './world';
import { allWrites } from './writes';
import { roleWrites } from './writes/roles';

/**
 * The reads that are compared: those of routes, as callers who share nothing or as users who share by role, or those of
 * GraphQL.
 */
export type Reads = 'routes' | 'by role' | 'graphql';

/** Writes that are made even on a machine that has no time for them. */
const FEWEST = 10;

/** Operations of GraphQL in a run that is to be short, unlike that of the soak test: each takes Strapi long. */
const FEW_OPERATIONS = 50;
const A_MINUTE = 60_000;

/** Callers of GraphQL in one run. Which of all they are is a matter of its seed. */
const FEW_CALLERS = 3;

/** The application's files and its database. The lanes use them one after the other. */
export class Place {
  private constructor(
    readonly client: DatabaseName,
    readonly directory: string,
    readonly database: OwnDatabase,
  ) {}

  static async make(client: DatabaseName): Promise<Place> {
    const directory = path.join(WORK, randomUUID());
    cpSync(FOREIGN, directory, { recursive: true });
    mkdirSync(path.join(directory, 'public', 'uploads'), { recursive: true });
    return new Place(client, directory, await ownDatabase(client, directory));
  }

  async remove(): Promise<void> {
    await this.database.drop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The application with everything cached, its uncached twin, and a writer. */
export class Driver {
  /** Writes that the application refused: the message by kind of write. Each one is a mistake in the driver. */
  readonly refused = new Map<string, string>();
  readonly kinds: readonly Kind[];
  /** Where users of a role share: changes of what they share. */
  readonly roleKinds: readonly Kind[];
  #writes = 0;

  private constructor(
    readonly application: Application,
    readonly twin: Twin,
    readonly world: World,
    readonly answers: Answers,
    reads: Reads,
  ) {
    const possible = (kinds: readonly Kind[]): readonly Kind[] =>
      kinds.filter(({ name, on }) => (on === undefined || on.includes(world.client)) && settings.writes.test(name));
    this.kinds = possible(allWrites);
    this.roleKinds = reads === 'by role' ? possible(roleWrites) : [];
  }

  static async start(place: Place, lane: Lane, seed: number, reads: Reads = 'routes'): Promise<Driver> {
    const isByRole = reads === 'by role';
    // An application with global middlewares of its own is never answered by the front lane.
    const globals = lane !== 'front' && lane !== 'repeatable';
    const redis: Record<string, string> =
      providerUnderTest() === 'memory'
        ? { CACHE_PROVIDER: 'memory' }
        : { CACHE_PROVIDER: 'redis', REDIS_URL: await redisUrl(), REDIS_PREFIX: `box-${randomUUID()}:` };
    const environment = {
      ...place.database.environment,
      ...redis,
      BOX_GLOBALS: String(globals),
      REST_CACHE: 'true',
      CACHE_LANE: lane === 'repeatable' ? 'front' : lane,
      CACHE_REPEATABLE: String(lane === 'repeatable'),
      CACHE_ETAG: String(seed % 2 === 0),
      CACHE_SHARING: isByRole ? 'role' : 'caller',
    };
    const twin = await Twin.start(place.directory, environment);
    let application: Application | undefined;
    try {
      application = await startApplication({ directory: place.directory, environment });
      const full = await fullToken(application);
      const world = await World.of(application, seed, full.headers);
      const everybody = isByRole ? await usersInRoles(application) : await callersOf(application, full);
      const callers = reads === 'graphql' ? world.random.sample(everybody, FEW_CALLERS) : everybody;
      const { strapi } = application;
      const all: Readonly<Record<Reads, () => Promise<readonly Url[]>>> = {
        'by role': () => urlsByRole(strapi),
        graphql: () => graphqlUrls(strapi, lane === 'repeatable'),
        routes: () => urlsOf(strapi, globals),
      };
      const matching = (await all[reads]()).filter(({ path: url, body = '' }) => settings.urls.test(url + body));
      const isShort = (settings.milliseconds ?? 0) < A_MINUTE;
      const urls = reads === 'graphql' && isShort ? world.random.sample(matching, FEW_OPERATIONS) : matching;
      const answers = new Answers({
        cached: application.origin,
        twin: twin.origin,
        urls,
        callers,
        random: world.random,
        sampled: isByRole ? 3 : 2,
      });
      await answers.warm();
      return new Driver(application, twin, world, answers, reads);
    } catch (error) {
      await application?.stop();
      await twin.stop();
      throw error;
    }
  }

  get writes(): number {
    return this.#writes;
  }

  /**
   * Makes one write of a kind, and compares every URL afterwards. In one case of three, requests are sent during the
   * write.
   */
  async step(kind: Kind): Promise<void> {
    this.#writes += 1;
    const isBeset = this.world.random.below(3) === 0;
    const written = kind.run(this.world).catch((error: unknown) => {
      this.refused.set(kind.name, error instanceof Error ? error.message : String(error));
    });
    if (isBeset) await this.answers.besiege(written);
    await written;
    await this.answers.compare(`${this.#writes}: ${kind.name}`);
  }

  /** Makes writes of all kinds until the time is up. */
  async run(until: number): Promise<void> {
    while (Date.now() < until) {
      for (const kind of this.world.random.sample(this.kinds, this.kinds.length)) {
        if (Date.now() >= until || this.answers.findings.length >= 400) return;
        await this.step(kind);
      }
    }
  }

  /**
   * Makes changes to roles of all kinds, and some of the other writes in between, until the time is up, but at least
   * a few.
   */
  async runByRole(until: number): Promise<void> {
    const others = this.kinds.filter(({ name }) => !name.startsWith('token: '));
    while (this.roleKinds.length > 0 && this.answers.findings.length < 400) {
      for (const [index, kind] of this.world.random.sample(this.roleKinds, this.roleKinds.length).entries()) {
        if (Date.now() >= until && this.#writes >= FEWEST) return;
        await this.step(kind);
        if (index % 3 === 0 && others.length > 0) await this.step(this.world.random.pick(others));
      }
    }
  }

  /** What was done and found, as text. */
  report(): string {
    const { asked, hits, compared, findings, unexpected } = this.answers;
    const of = (sort: string): number => findings.filter((finding) => finding.sort === sort).length;
    return [
      `${this.#writes} writes, ${asked} requests of which ${hits} hits, ${compared} compared with the twin:`,
      `${of('stale')} stale, ${of('shared')} shared, ${of('bytes')} differing bytes`,
      ...grouped(findings),
      ...[...unexpected].map((line) => `UNEXPECTED ${line}`),
      ...[...this.refused].map(([kind, message]) => `REFUSED ${kind}: ${message}`),
    ].join('\n');
  }

  async stop(): Promise<void> {
    this.answers.close();
    await this.application.stop();
    await this.twin.stop();
  }
}

/** One line for each URL and sort: the first finding, and how many there are. */
const grouped = (findings: readonly Finding[]): string[] => {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.sort} ${finding.url}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    if (first === undefined) return '';
    const { sort, after, url, caller, what } = first;
    return `${sort.toUpperCase()} (${group.length}) after ${after}: ${url} as ${caller}\n  ${what.replaceAll('\n', '⏎')}`;
  });
};
