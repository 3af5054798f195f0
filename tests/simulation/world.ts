import type { Scheduler } from 'fast-check';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { MemoryProvider } from '../../server/src/providers/memory';
import { ChaosProvider, Fortune, StoreUnreachable } from './chaos-provider';
import { DatabaseModel } from './database-model';
import { Interleaving } from './interleaving';
import { Judge } from './judge';
import { ManualClock } from './manual-clock';
import { Origin, PAGES } from './origin';
import type { Installation, Plan } from './plan';
import { play } from './players';
import { Crashed, Process } from './process';
import type { Node, Parts, Scene } from './scene';
import { SharedStore } from './shared-store';
import type { Tally } from './tally';

/** Longer than any schedule takes, because here the schedule decides when a process gives up. */
const NO_DEADLINE = milliseconds(1_000_000);

/** A database, a store, one or more processes with the real engine and observer, and the actors that use them. */
export class World {
  readonly #scene: Scene;
  readonly #memory: MemoryProvider;
  readonly #store: SharedStore;
  readonly #fortune: Fortune;
  readonly #nodes: readonly Node[];

  constructor(installation: Installation, plan: Plan, scheduler: Scheduler, parts: Parts, tally: Tally) {
    const interleaving = new Interleaving(scheduler);
    const clock = new ManualClock();
    const database = new DatabaseModel();
    const origin = new Origin(interleaving);
    const judge = new Judge(database);
    this.#scene = { installation, plan, parts, interleaving, clock, database, origin, judge, tally };
    this.#memory = new MemoryProvider({
      clock,
      maxSize: plan.maxSize,
      maxBytes: 1_000_000,
      events: { evict: () => tally.count('evicted') },
    });
    this.#store = new SharedStore(this.#memory, clock);
    this.#fortune = new Fortune(plan.fates);
    this.#nodes = Array.from({ length: installation.processes }, (_, index) =>
      this.#assemble(new Process(`process ${index}`), plan.skews[index] ?? 0),
    );
  }

  /** Runs all actors, then checks what remains when nothing happens any more. Returns the broken promises. */
  async run(): Promise<readonly string[]> {
    const { interleaving, judge } = this.#scene;
    try {
      await interleaving.run(Promise.all(this.#playAll()));
      this.#fortune.end();
      this.#store.settle(() => true);
      judge.judgeTransactions();
      await interleaving.run(this.#lookAround());
      return judge.violations;
    } finally {
      this.#memory.close();
    }
  }

  #assemble(process: Process, skew: number): Node {
    const { installation, parts, interleaving, clock, judge, tally } = this.#scene;
    const provider =
      installation.store === 'memory'
        ? this.#memory
        : new ChaosProvider(this.#store, process, interleaving, this.#fortune);
    const cache = parts.cache({
      provider: parts.provider(provider),
      clock: skew === 0 ? clock : clock.skewed(milliseconds(skew)),
      getTimeout: NO_DEADLINE,
      onStoreError: (error) => {
        tally.count('store failures');
        const isExpected = error instanceof StoreUnreachable || error instanceof Crashed;
        if (!isExpected) judge.accuse(`the store said ${String(error)}`);
      },
    });
    return { process, provider, cache, sink: parts.sink(provider) };
  }

  #playAll(): Array<Promise<void>> {
    return this.#scene.plan.actors.map((actor) => {
      const node = this.#nodes[actor.process];
      if (node === undefined) throw new Error(`there is no process ${actor.process}`);
      return play(this.#scene, node, actor);
    });
  }

  /** When nothing happens any more, whatever the store still serves must be exactly what the database holds. */
  async #lookAround(): Promise<void> {
    const { judge, origin } = this.#scene;
    for (const { process, cache } of this.#nodes) {
      if (process.crashed) continue;
      for (const { key } of PAGES) {
        const entry = (await cache.peek(key))?.entry;
        const run = entry && origin.runBehind(entry.response);
        if (run !== undefined) judge.judgeAtRest(run);
      }
    }
  }
}
