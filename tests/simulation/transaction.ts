import { Session, SQL, type CommitFate } from './database-model';
import { ObservedConnection } from './observed-connection';
import type { Ending, WriterStep } from './plan';
import type { Node, Scene } from './scene';

export const connect = (scene: Scene, { process, sink }: Node): ObservedConnection => {
  const { database, interleaving, installation } = scene;
  const { isolation, slowCommits, precision } = scene.plan;
  const session = new Session({ database, interleaving, process, isolation, slowCommits });
  return new ObservedConnection({ session, sink, precision, overlapping: installation.overlapping === true });
};

const acknowledge = ({ judge, tally }: Scene, { session }: ObservedConnection): void => {
  tally.count('acknowledged writers');
  judge.acknowledgeWrites(session.written);
};

/** A write outside any transaction of the application. */
export const writeAlone = async (scene: Scene, node: Node, row: number, commit: CommitFate): Promise<void> => {
  const connection = connect(scene, node);
  connection.session.commitFate = commit;
  if (commit === 'refused') scene.judge.withdrawWrites(connection.session.written);
  await connection.write(row);
  acknowledge(scene, connection);
};

/** One transaction of the application, from BEGIN to COMMIT or ROLLBACK. */
export class Transaction {
  readonly connection: ObservedConnection;
  readonly #scene: Scene;
  #hasEnded = false;

  constructor(scene: Scene, node: Node) {
    this.#scene = scene;
    this.connection = connect(scene, node);
  }

  async begin(): Promise<void> {
    await this.connection.query(SQL.begin);
  }

  async write(steps: readonly WriterStep[]): Promise<void> {
    for (const step of steps) {
      if (step.do === 'write') await this.connection.write(step.row);
      else if (step.do === 'savepoint') await this.connection.query(SQL.savepoint);
      else if (this.connection.session.hasSavepoint) {
        await this.connection.query(step.do === 'release savepoint' ? SQL.release : SQL.rollbackTo);
      }
    }
  }

  /** Sends each statement when it is due, regardless of the outcome of the others. */
  writeOverlapping(steps: readonly WriterStep[]): Array<Promise<void>> {
    return steps.map(async (step) => {
      await this.#scene.interleaving.pause('statement is due');
      if (step.do === 'write') await this.#unlessEnded(() => this.connection.write(step.row));
      if (step.do !== 'savepoint') return;
      await this.#unlessEnded(() => this.connection.query(SQL.savepoint));
      await this.#scene.interleaving.pause('rollback is due');
      await this.#unlessEnded(() => this.connection.query(SQL.rollbackTo));
    });
  }

  async end(ending: Ending): Promise<void> {
    const { judge, tally } = this.#scene;
    const { session } = this.connection;
    this.#hasEnded = true;
    if (ending === 'rolled back' || ending === 'refused') judge.withdrawWrites(session.written);
    if (ending === 'rolled back') {
      tally.count('rollbacks');
      await this.connection.query(SQL.rollback);
      return;
    }
    session.commitFate = ending;
    await this.connection.query(SQL.commit);
    acknowledge(this.#scene, this.connection);
  }

  /** Knex refuses statements that are sent after the end of their transaction was requested. */
  async #unlessEnded(send: () => Promise<unknown>): Promise<void> {
    if (!this.#hasEnded) await send();
  }
}
