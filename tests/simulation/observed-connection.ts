import type { InvalidationSink } from '../../server/src/observe/commit-and-stamp';
import type { Precision } from '../../server/src/dependencies/read-plan';
import { currentRecording, record, type Recording } from '../../server/src/observe/recording';
import type { QueryOutcome } from '../../server/src/database/connection-access';
import { SqlObserver } from '../../server/src/observe/sql-observer';
import { createStatementMemo } from '../../server/src/sql/statement-memo';
import { CATALOG, SQL, type Session } from './database-model';

const classify = createStatementMemo('postgres');

export interface ObservedConnectionSettings {
  readonly session: Session;
  readonly sink: InvalidationSink;
  readonly precision: Precision;
  /**
   * Whether statements overlap. If so, the asynchronous context identifies the request that sends each statement, as in
   * production. Otherwise a variable does, because the context would make every schedule half as slow again.
   */
  readonly overlapping: boolean;
}

/** A session whose statements all pass through the real observer, as those of knex do in production. */
export class ObservedConnection {
  readonly session: Session;
  readonly #overlapping: boolean;
  readonly #observer: SqlObserver;
  #recording: Recording | undefined;

  constructor({ session, sink, precision, overlapping }: ObservedConnectionSettings) {
    this.session = session;
    this.#overlapping = overlapping;
    this.#observer = new SqlObserver({
      sink,
      catalog: () => CATALOG,
      precision,
      classify,
      currentRecording: overlapping ? currentRecording : () => this.#recording,
      writeRequestsOnly: false,
      identityTables: new Set(),
    });
  }

  /** @param recording the recording of the request that sends the statement. */
  query(sql: string, bindings: readonly unknown[] = [], recording?: Recording): Promise<QueryOutcome> {
    const query = { sql, bindings };
    const send = (): Promise<QueryOutcome> =>
      this.#observer.observe(
        query,
        this.session,
        () => this.session.perform(query),
        (outcome) => outcome,
      );
    if (this.#overlapping && recording !== undefined) return record(recording, send);
    this.#recording = recording;
    return send();
  }

  async write(row: number, recording?: Recording): Promise<void> {
    await this.query(SQL.update, [this.session.newWrite(), row], recording);
  }
}
