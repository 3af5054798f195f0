import type { Scheduler } from 'fast-check';
import { contentTypeTag } from '../../server/src/cache/bookkeeping-tags';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { ResponseCache, type Resolution, type ResponseCacheSettings } from '../../server/src/cache/response-cache';
import { EVERYTHING } from '../../server/src/cache/tag';
import type { InvalidationSink } from '../../server/src/observe/commit-and-stamp';
import { Recording } from '../../server/src/observe/recording';
import type { Provider } from '../../server/src/providers/contract';
import { MemoryProvider } from '../../server/src/providers/memory';
import { ChaosProvider, Fortune, StoreUnreachable } from './chaos-provider';
import { CommitFailed, DatabaseModel, Session, SQL, type WriteId } from './database-model';
import { Interleaving } from './interleaving';
import { Judge } from './judge';
import { ManualClock } from './manual-clock';
import { ObservedConnection } from './observed-connection';
import { CONTENT_TYPE, MAX_AGE, Origin, OriginFailure, PAGES, type Page, type Run } from './origin';
import type { Actor, Ending, Installation, Plan, Treatment, WriterStep } from './plan';
import { Crashed, Process } from './process';
import { SharedStore } from './shared-store';
import type { Tally } from './tally';

/** What a process is assembled from; the seeded faults replace one of these each. */
export interface Parts {
  /** What stands between the engine and its store. */
  readonly provider: (store: Provider) => Provider;
  readonly cache: (settings: ResponseCacheSettings) => ResponseCache;
  /** What the observer stamps through. */
  readonly sink: (store: Provider) => InvalidationSink;
  readonly recording: () => Recording;
}

export const SOUND: Parts = {
  provider: (store) => store,
  cache: (settings) => new ResponseCache(settings),
  sink: (store) => store,
  recording: () => new Recording(false),
};

interface Node {
  readonly process: Process;
  readonly provider: Provider;
  readonly cache: ResponseCache;
  readonly sink: InvalidationSink;
}

/** Longer than any schedule takes: in here, giving up is decided by the schedule. */
const NO_DEADLINE = milliseconds(1_000_000);

const NOTHING_OWN: ReadonlySet<WriteId> = new Set();

/** A database, a store, one or more processes with the real engine, and everybody who uses them. */
export class World {
  readonly judge: Judge;
  readonly #plan: Plan;
  readonly #parts: Parts;
  readonly #tally: Tally;
  readonly #interleaving: Interleaving;
  readonly #clock = new ManualClock();
  readonly #database = new DatabaseModel();
  readonly #origin: Origin;
  readonly #memory: MemoryProvider;
  readonly #store: SharedStore;
  readonly #nodes: readonly Node[];

  constructor(installation: Installation, plan: Plan, scheduler: Scheduler, parts: Parts, tally: Tally) {
    this.#plan = plan;
    this.#parts = parts;
    this.#tally = tally;
    this.#interleaving = new Interleaving(scheduler);
    this.#origin = new Origin(this.#interleaving);
    this.judge = new Judge(this.#database);
    this.#memory = new MemoryProvider({
      clock: this.#clock,
      maxSize: plan.maxSize,
      maxBytes: 1_000_000,
      events: { evict: () => tally.count('evicted') },
    });
    this.#store = new SharedStore(this.#memory, this.#clock);
    const fortune = new Fortune(plan.fates);
    this.#nodes = Array.from({ length: installation.processes }, (_, index) =>
      this.#assemble(installation, new Process(`process ${index}`), plan.skews[index] ?? 0, fortune),
    );
  }

  /** Lets everybody act, then looks at what remains when nothing happens any more. */
  async run(): Promise<void> {
    try {
      await this.#interleaving.run(Promise.all(this.#plan.actors.map((actor) => this.#play(actor))));
      this.#store.settleAbandoned(() => true);
      await this.#interleaving.run(this.#lookAround());
    } finally {
      this.#memory.close();
    }
  }

  #assemble({ store }: Installation, process: Process, skew: number, fortune: Fortune): Node {
    const reached =
      store === 'memory' ? this.#memory : new ChaosProvider(this.#store, process, this.#interleaving, fortune);
    const cache = this.#parts.cache({
      provider: this.#parts.provider(reached),
      clock: skew === 0 ? this.#clock : this.#clock.skewed(milliseconds(skew)),
      getTimeout: NO_DEADLINE,
      onStoreError: (error) => {
        this.#tally.count('store failures');
        if (!(error instanceof StoreUnreachable || error instanceof Crashed))
          this.judge.accuse(`the store said ${String(error)}`);
      },
    });
    return { process, provider: reached, cache, sink: this.#parts.sink(reached) };
  }

  async #play(actor: Actor): Promise<void> {
    const node = this.#nodes[actor.process];
    if (node === undefined) throw new Error(`there is no process ${actor.process}`);
    await this.#interleaving.pause(`${actor.role} in ${node.process.name} begins`);
    try {
      await this.#act(actor, node);
    } catch (error) {
      if (error instanceof Crashed || error instanceof StoreUnreachable || error instanceof CommitFailed) return;
      throw error;
    }
  }

  async #act(actor: Actor, node: Node): Promise<void> {
    switch (actor.role) {
      case 'reader':
        for (const { page, treatment } of actor.requests) await this.#request(node, pageAt(page), treatment);
        return;
      case 'editor':
        return this.#edit(node, actor.row, actor.commit);
      case 'writer': {
        const connection = this.#connect(node);
        await this.#write(connection, actor.steps);
        return this.#end(connection, actor.ending);
      }
      case 'insider': {
        const connection = this.#connect(node);
        await this.#write(connection, actor.steps);
        await this.#request(node, pageAt(actor.page), 'plain', connection);
        await this.#interleaving.pause('insider goes on');
        return this.#end(connection, actor.ending);
      }
      case 'admin':
        return this.#administer(node, actor.act, pageAt(actor.page));
      case 'time':
        this.#clock.pass(milliseconds(actor.milliseconds));
        this.#store.settleAbandoned((by) => by.crashed);
        return;
      case 'crash':
        this.#tally.count('crashes');
        node.process.crash();
    }
  }

  #connect({ process, sink }: Node): ObservedConnection {
    const session = new Session(this.#database, this.#interleaving, process, this.#plan.slowCommits);
    return new ObservedConnection(session, sink, this.#plan.precision);
  }

  async #edit(node: Node, row: number, commit: Exclude<Ending, 'rolled back'>): Promise<void> {
    const connection = this.#connect(node);
    connection.session.commitFate = commit;
    await connection.query(SQL.update, [this.#database.newWrite(), row]);
    node.process.mustBeAlive();
    this.#acknowledge(connection);
  }

  async #write(connection: ObservedConnection, steps: readonly WriterStep[]): Promise<void> {
    await connection.query(SQL.begin);
    for (const step of steps) {
      if (step.do === 'write') await connection.query(SQL.update, [this.#database.newWrite(), step.row]);
      else if (step.do === 'savepoint') await connection.query(SQL.savepoint);
      else if (connection.session.hasSavepoint) {
        await connection.query(step.do === 'release savepoint' ? SQL.release : SQL.rollbackTo);
      }
    }
  }

  async #end(connection: ObservedConnection, ending: Ending): Promise<void> {
    if (ending === 'rolled back') {
      this.#tally.count('rollbacks');
      await connection.query(SQL.rollback);
      return;
    }
    connection.session.commitFate = ending;
    await connection.query(SQL.commit);
    this.#acknowledge(connection);
  }

  #acknowledge({ session }: ObservedConnection): void {
    this.#tally.count('acknowledged writers');
    this.judge.acknowledgeWrites(session.written);
  }

  async #administer({ provider }: Node, act: 'reset' | 'purge' | 'delete', page: Page): Promise<void> {
    const asked = this.judge.moment();
    this.#tally.count('purges');
    if (act === 'delete') {
      await provider.delete(page.key);
      return;
    }
    if (act === 'purge') await provider.invalidate([contentTypeTag(CONTENT_TYPE)]);
    else {
      await provider.invalidate([EVERYTHING]);
      await provider.clear();
    }
    this.judge.acknowledgePurge(asked);
  }

  /** One request through the engine, and the verdict on its answer. */
  async #request(node: Node, page: Page, treatment: Treatment, transaction?: ObservedConnection): Promise<void> {
    const promised = this.judge.promised();
    const askedAt = this.#clock.now();
    const runs: Run[] = [];
    const recording = this.#parts.recording();
    let resolution: Resolution;
    try {
      resolution = await node.cache.resolve(page.key, () => {
        const run = this.#origin.begin(page, this.judge.moment());
        runs.push(run);
        return this.#origin.compute(run, transaction ?? this.#connect(node), recording, treatment);
      });
    } catch (error) {
      if (error instanceof Crashed) throw error;
      if (!(error instanceof OriginFailure && treatment === 'failing'))
        this.judge.accuse(`a reader met ${String(error)}`);
      return;
    }
    node.process.mustBeAlive();
    this.#tally.resolution(resolution);
    const [own] = runs;
    if (runs.length !== (resolution.kind === 'hit' ? 0 : 1))
      this.judge.accuse(`a ${resolution.kind} was computed ${runs.length} times`);
    const run = resolution.kind === 'uncached' ? own : this.#origin.runBehind(resolution.entry.response);
    if (run === undefined || run.page !== page) {
      this.judge.accuse('a response is not that of its request');
      return;
    }
    this.judge.judgeResponse(run, promised, transaction?.session.written ?? NOTHING_OWN);
    if (resolution.kind !== 'hit') {
      if (run !== own) this.judge.accuse('a request was not answered by its own computation');
      return;
    }
    if (!run.isStorable) this.judge.accuse('a response that must not be shared was shared');
    if (run.begunAt < promised.purgedUntil) this.judge.accuse('a response was served that had been purged');
    const { entry } = resolution;
    const isSkewed = this.#plan.skews.some((skew) => skew !== 0);
    if (!isSkewed && entry.createdAt + MAX_AGE <= askedAt) this.judge.accuse('a response was served past its maxAge');
  }

  /** When nothing happens any more, every page in every living process must be exactly what the database holds. */
  async #lookAround(): Promise<void> {
    for (const { process, cache } of this.#nodes) {
      if (process.crashed) continue;
      for (const page of PAGES) {
        const run = await this.#pageAtRest(cache, page);
        if (run !== undefined) this.judge.judgeAtRest(run);
      }
    }
  }

  /** What the store holds; there is no need to ask the origin, which cannot be stale. */
  async #pageAtRest(cache: ResponseCache, page: Page): Promise<Run | undefined> {
    const entry = await cache.peek(page.key);
    return entry && this.#origin.runBehind(entry.response);
  }
}

const pageAt = (index: number): Page => PAGES[index] ?? PAGES[0];
