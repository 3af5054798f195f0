import { cpuUsage, env } from 'node:process';
import fc, { type RunDetails, type Scheduler } from 'fast-check';
import { numberOfRuns } from '../number-of-runs';
import { planFor, type Installation, type Plan } from './plan';
import { Tally } from './tally';
import { SOUND, type Parts } from './scene';
import { World } from './world';

/** The number of schedules in the short form, over all installations. Every seeded fault shows within 3,000. */
export const SHORT_FORM = 60_000;

/** Fewer might leave an event out that has to occur. */
const LEAST = 10_500;

/** The number of schedules to try, over all installations. Use `SIMULATION_RUNS=10000000` for the long form. */
export const SCHEDULES = Number(env['SIMULATION_RUNS'] ?? Math.max(LEAST, numberOfRuns(SHORT_FORM)));

/** `SIMULATION_SEED` and `SIMULATION_PATH`, as printed with a failure, replay it. Choose its test with `-t`. */
const SEED = env['SIMULATION_SEED'] === undefined ? Date.now() & 0x7fffffff : Number(env['SIMULATION_SEED']);
const PATH = env['SIMULATION_PATH'];

export interface Outcome {
  readonly details: RunDetails<[Plan, Scheduler]>;
  readonly tally: Tally;
  /** CPU seconds of one core, so that the number is meaningful on a busy machine. */
  readonly seconds: number;
}

interface RunOptions {
  readonly schedules: number;
  readonly parts?: Parts;
  /** Whether to look for the smallest plan that fails, too. */
  readonly shrink: boolean;
}

/** Tries many schedules of plans that fit the installation, and stops at the first one that breaks a promise. */
export const runSchedules = async (
  installation: Installation,
  { schedules, parts = SOUND, shrink }: RunOptions,
): Promise<Outcome> => {
  const tally = new Tally();
  const began = cpuUsage();
  const property = fc.asyncProperty(planFor(installation), fc.scheduler(), async (plan, scheduler) => {
    tally.schedules += 1;
    // Schedules run from tick to tick, so timers and the test runner need a turn now and then.
    if (tally.schedules % 100 === 0) await new Promise(setImmediate);
    const violations = await new World(installation, plan, scheduler, parts, tally).run();
    if (violations.length > 0) throw new Error(violations.join('\n'));
  });
  const details = await fc.check(property, {
    numRuns: schedules,
    endOnFailure: !shrink,
    seed: SEED,
    ...(PATH === undefined ? {} : { path: PATH }),
  });
  const used = cpuUsage(began);
  return { details, tally, seconds: (used.user + used.system) / 1e6 };
};

export const summary = (title: string, { tally, seconds, details }: Outcome): string =>
  `${title}: ${tally.schedules} schedules in ${seconds.toFixed(1)} s of one core (${Math.round(tally.schedules / seconds)} per second), ` +
  `seed ${details.seed}\n  ${tally.toString()}`;

/** The broken promises, and the schedule that broke them. */
export const explain = async ({ details }: Outcome): Promise<string> =>
  `${String(details.errorInstance)}\n${(await fc.asyncDefaultReportMessage(details)) ?? ''}\n` +
  `Replay with SIMULATION_SEED=${details.seed} SIMULATION_PATH=${details.counterexamplePath ?? ''}`;
