import type { Resolution } from '../../server/src/cache/response-cache';
import type { WriteId } from './database-model';
import type { Promised } from './judge';
import type { ObservedConnection } from './observed-connection';
import { MAX_AGE, OriginFailure, type Page, type Run } from './origin';
import type { Treatment } from './plan';
import { Crashed } from './process';
import type { Node, Scene } from './scene';

/** The connection on which a request is computed, and what its reader may rely on. */
export interface Circumstances {
  readonly connection: ObservedConnection;
  /**
   * The promises at the beginning of the connection's transaction, because the response may be as old as that. Default:
   * those at the time of the request.
   */
  readonly promised?: Promised;
}

const NOTHING: ReadonlySet<WriteId> = new Set();

/** Makes one request to a process, as the route lane does, and judges its response. */
export const makeRequest = async (
  scene: Scene,
  node: Node,
  page: Page,
  treatment: Treatment,
  { connection, promised: promisedToTransaction }: Circumstances,
): Promise<void> => {
  const { judge, origin, tally } = scene;
  const promised = judge.promised();
  const askedAt = scene.clock.now();
  const recording = scene.parts.recording();
  const runs: Run[] = [];
  if (treatment === 'tentative') judge.withdrawWrites(connection.session.written);

  let resolution: Resolution;
  try {
    resolution = await node.cache.resolve(page.key, () => {
      const run = origin.begin(page, judge.moment());
      runs.push(run);
      return origin.compute(run, connection, recording, treatment);
    });
  } catch (error) {
    if (error instanceof Crashed) throw error;
    const isItsOwn = error instanceof OriginFailure && treatment === 'failing';
    if (!isItsOwn) judge.accuse(`a reader met ${String(error)}`);
    return;
  }
  node.process.mustBeAlive();
  tally.resolution(resolution);

  const { kind } = resolution;
  if (runs.length !== (kind === 'hit' ? 0 : 1)) judge.accuse(`a ${kind} was computed ${runs.length} times`);
  const run = resolution.kind === 'uncached' ? runs[0] : origin.runBehind(resolution.entry.response);
  if (run?.page !== page) {
    judge.accuse('a response is not that of its request');
    return;
  }
  if (resolution.kind !== 'hit') {
    if (run !== runs[0]) judge.accuse('a request was not answered by its own computation');
    judge.judgeResponse(run, promisedToTransaction ?? promised, connection.session.written);
    return;
  }
  judge.judgeResponse(run, promised, NOTHING);
  if (!run.isStorable) judge.accuse('a response that must not be shared was shared');
  if (run.begunAt < promised.purgedUntil) judge.accuse('a response was served that had been purged');
  const isSkewed = scene.plan.skews.some((skew) => skew !== 0);
  if (!isSkewed && resolution.entry.createdAt + MAX_AGE <= askedAt) {
    judge.accuse('a response was served past its maxAge');
  }
};
