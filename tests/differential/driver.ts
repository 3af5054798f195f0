import { logInCustomer } from './customer';
import { startApplication, type Application, type ApplicationSettings } from '../application/start-application';
import type { StrategyConfig } from '../../server/src/config/user-config';
import { AnyUrls } from './any-urls';
import { Causes } from './causes';
import { CachedAnswers, difference, type Stale } from './compare';
import { configuration, type Way } from './configuration';
import { ownFunctions } from './own-functions';
import { probeFiles } from './probe-api';
import { Tally } from './tally';
import { cachedUrls, type CachedUrl } from './urls';
import { wholeFamily } from './whole-family';
import { World, type Kind } from './world';
import { allWrites } from './writes';
import { ROLE_DELETION } from './writes/users';

export interface DriverSettings {
  readonly seed: number;
  readonly lane: Way;
  readonly environment?: ApplicationSettings['environment'];
  readonly strategy?: StrategyConfig;
  /** URLs requested at the same time. 1 if causes are recorded. */
  readonly concurrency?: number;
  readonly explain?: boolean;
  /** Uses random URLs, which are replaced from time to time, instead of the fixed list. */
  readonly anyUrls?: boolean;
}

/** How many random URLs are used at a time, and for how many writes. */
const URLS_PER_DRAW = 60;
const WRITES_PER_DRAW = 15;

/** A stale answer, and what is needed to reproduce it. */
export interface Finding extends Stale {
  readonly kind: string;
  readonly write: number;
}

/** The playground with everything cached, and a writer. */
export class Driver {
  readonly tally = new Tally([ROLE_DELETION]);
  readonly findings: Finding[] = [];
  /** Writes that the application refused: the message by kind of write. Each one is a mistake in the driver. */
  readonly refused = new Map<string, string>();
  readonly #family: ReturnType<typeof wholeFamily>;
  readonly #anyUrls: AnyUrls | undefined;
  #writes = 0;

  private constructor(
    readonly application: Application,
    readonly world: World,
    readonly answers: CachedAnswers,
    readonly causes: Causes | undefined,
    anyUrls: boolean,
  ) {
    this.#family = wholeFamily(application.strapi);
    this.#anyUrls = anyUrls ? new AnyUrls(world) : undefined;
  }

  static async start({
    seed,
    lane,
    environment = {},
    strategy = {},
    explain = false,
    anyUrls = false,
    concurrency = explain ? 1 : 4,
  }: DriverSettings): Promise<Driver> {
    const application = await startApplication({
      restCache: configuration(lane, strategy),
      files: lane === 'own-functions' || lane === 'repeatable' ? { ...probeFiles, ...ownFunctions } : probeFiles,
      environment,
    });
    // The driver logs in as an administrator more often than the rate limit allows.
    application.strapi.config.set('admin.rateLimit', { enabled: false });
    const world = await World.of(application, seed);
    const causes = explain ? new Causes(application.strapi) : undefined;
    const answers = new CachedAnswers(application, concurrency, causes);
    if (!anyUrls) await answers.warm(await cachedUrls(application.strapi, await logInCustomer(application)));
    return new Driver(application, world, answers, causes, anyUrls);
  }

  get writes(): number {
    return this.#writes;
  }

  /** Makes one write of a kind, and compares every URL afterwards. */
  async step(kind: Kind): Promise<void> {
    this.#writes += 1;
    const { held } = this.answers;
    this.causes?.forgetStamps();
    try {
      await kind.run(this.world);
    } catch (error) {
      this.refused.set(kind.name, error instanceof Error ? error.message : String(error));
    }
    const { invalidated, changed, stale } = await this.answers.compare(kind.name);
    for (const finding of stale) this.findings.push({ ...finding, kind: kind.name, write: this.#writes });
    this.tally.add(kind.name, {
      invalidated: invalidated.length,
      changed: changed.length,
      family: this.#family(kind.types, held),
    });
  }

  /** Makes writes of all kinds until the time is up or something stale was found. */
  async run(until: number, kinds: readonly Kind[] = allWrites): Promise<void> {
    while (Date.now() < until) {
      for (const kind of this.world.random.sample(kinds, kinds.length)) {
        if (Date.now() >= until || this.findings.length > 0) return;
        if (this.#anyUrls !== undefined && this.#writes % WRITES_PER_DRAW === 0) await this.#draw(this.#anyUrls);
        await this.step(kind);
      }
    }
  }

  /** Replaces the random URLs. URLs that Strapi refuses are not used. */
  async #draw(anyUrls: AnyUrls): Promise<void> {
    const drawn: CachedUrl[] = [];
    while (drawn.length < URLS_PER_DRAW) {
      const url = await anyUrls.next();
      if ((await this.application.get(url.path, { cookie: 'uncached=1' })).status === 200) drawn.push(url);
    }
    await this.answers.warm(drawn);
  }

  /** The findings as text. */
  report(): string {
    const found = this.findings.map(
      ({ write, kind, path, served, correct }) =>
        `STALE after write ${write} (${kind}): ${path}\n  ${difference(served, correct)}`,
    );
    const refused = [...this.refused].map(([kind, message]) => `REFUSED ${kind}: ${message}`);
    return [this.tally.table(), ...refused, ...found].join('\n');
  }

  async stop(): Promise<void> {
    this.causes?.close();
    await this.application.stop();
  }
}
