import type { Recording } from '../../server/src/observe/recording';
import { SqlObserver, type QueryOutcome } from '../../server/src/observe/sql-observer';
import type { InvalidationSink } from '../../server/src/observe/commit-and-stamp';
import type { Precision } from '../../server/src/observe/read-tags';
import { createStatementMemo } from '../../server/src/observe/statement-memo';
import { CATALOG, type Session } from './database-model';

const classify = createStatementMemo('postgres');

/** A session every statement of which passes the real observer, as those of knex do in production. */
export class ObservedConnection {
  readonly session: Session;
  readonly #observer: SqlObserver;
  #recording: Recording | undefined;

  constructor(session: Session, sink: InvalidationSink, precision: Precision) {
    this.session = session;
    this.#observer = new SqlObserver({
      sink,
      catalog: CATALOG,
      precision,
      classify,
      // Instead of the asynchronous context, which would cost more than everything else together.
      currentRecording: () => this.#recording,
      writeRequestsOnly: false,
    });
  }

  /** @param recording the request on whose behalf the statement is sent. */
  query(sql: string, bindings: readonly unknown[] = [], recording?: Recording): Promise<QueryOutcome> {
    this.#recording = recording;
    const query = { sql, bindings };
    return this.#observer.observe(query, this.session, () => this.session.perform(query));
  }
}
