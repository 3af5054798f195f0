import { contentTypeTag } from '../../server/src/dependencies/tags';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { EVERYTHING } from '../../server/src/cache/tag';
import { StoreUnreachable } from './chaos-provider';
import { CommitFailed } from './database-model';
import { CONTENT_TYPE, PAGES, type Page } from './origin';
import type { Actor } from './plan';
import { Crashed } from './process';
import { makeRequest } from './request';
import type { Node, Scene } from './scene';
import { connect, Transaction, writeAlone } from './transaction';

type Playing<Role extends Actor['role']> = Extract<Actor, { readonly role: Role }>;

/** Plays an actor to its end, or until the database, the store or a crash stops it. */
export const play = async (scene: Scene, node: Node, actor: Actor): Promise<void> => {
  await scene.interleaving.pause(`${actor.role} in ${node.process.name} begins`);
  try {
    await act(scene, node, actor);
  } catch (error) {
    if (error instanceof Crashed || error instanceof StoreUnreachable || error instanceof CommitFailed) return;
    throw error;
  }
};

const act = async (scene: Scene, node: Node, actor: Actor): Promise<void> => {
  switch (actor.role) {
    case 'reader':
      for (const { page, treatment } of actor.requests) {
        await makeRequest(scene, node, pageAt(page), treatment, { connection: connect(scene, node) });
      }
      return;
    case 'editor':
      return writeAlone(scene, node, actor.row, actor.commit);
    case 'writer':
      return writeInTransaction(scene, node, actor);
    case 'insider':
      return readInTransaction(scene, node, actor);
    case 'admin':
      return administer(scene, node, actor);
    case 'time':
      scene.clock.pass(milliseconds(actor.milliseconds));
      return;
    case 'crash':
      scene.tally.count('crashes');
      node.process.crash();
  }
};

const writeInTransaction = async (scene: Scene, node: Node, { steps, ending }: Playing<'writer'>): Promise<void> => {
  const transaction = new Transaction(scene, node);
  await transaction.begin();
  if (scene.installation.overlapping !== true) {
    await transaction.write(steps);
    return transaction.end(ending);
  }
  // As after `Promise.all` with one failure, or after a forgotten `await`: the transaction ends while statements are
  // under way.
  const writes = transaction.writeOverlapping(steps);
  try {
    await Promise.race(writes);
    await transaction.end(ending);
  } finally {
    await Promise.allSettled(writes);
  }
};

const readInTransaction = async (scene: Scene, node: Node, actor: Playing<'insider'>): Promise<void> => {
  const promised = scene.judge.promised();
  const transaction = new Transaction(scene, node);
  await transaction.begin();
  const isOverlapping = scene.installation.overlapping === true;
  const writes = isOverlapping ? transaction.writeOverlapping(actor.steps) : [];
  if (!isOverlapping) await transaction.write(actor.steps);
  try {
    await makeRequest(scene, node, pageAt(actor.page), 'plain', { connection: transaction.connection, promised });
    await scene.interleaving.pause('insider goes on');
    await transaction.end(actor.ending);
  } finally {
    await Promise.allSettled(writes);
  }
};

const administer = async ({ judge, tally }: Scene, { provider }: Node, actor: Playing<'admin'>): Promise<void> => {
  const asked = judge.moment();
  tally.count('purges');
  switch (actor.act) {
    case 'delete':
      await provider.delete(pageAt(actor.page).key);
      return;
    case 'purge':
      await provider.invalidate([contentTypeTag(CONTENT_TYPE)]);
      break;
    case 'reset':
      await provider.invalidate([EVERYTHING]);
      await provider.clear();
  }
  judge.acknowledgePurge(asked);
};

const pageAt = (index: number): Page => PAGES[index] ?? PAGES[0];
