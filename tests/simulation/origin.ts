import { contentTypeTag } from '../../server/src/dependencies/tags';
import type { StoredResponse } from '../../server/src/cache/entry';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { Computation } from '../../server/src/cache/response-cache';
import { EVERYTHING } from '../../server/src/cache/tag';
import type { Recording } from '../../server/src/observe/recording';
import { ROWS, SQL, type WriteId } from './database-model';
import type { Interleaving } from './interleaving';
import type { ObservedConnection } from './observed-connection';
import type { Treatment } from './plan';

export interface Page {
  readonly key: CacheKey;
  readonly rows: readonly number[];
  /**
   * Whether one statement that names only the table reads the page. Otherwise it is read row by row, and time passes in
   * between.
   */
  readonly whole: boolean;
}

/** Few, so that requests meet; overlapping, so that one write concerns several pages. */
export const PAGES: readonly [Page, ...Page[]] = [
  { key: '/0?&&' as CacheKey, rows: [0], whole: false },
  { key: '/0-1?&&' as CacheKey, rows: [0, 1], whole: false },
  { key: '/2-1?&&' as CacheKey, rows: [2, 1], whole: false },
  { key: '/all?&&' as CacheKey, rows: ROWS, whole: true },
];

export const CONTENT_TYPE = 'api::article.article';

export const MAX_AGE = milliseconds(20);

/** One run of a request's handler: what it read, and whether its response may be stored. */
export interface Run {
  readonly number: number;
  readonly page: Page;
  /** The position in the order of all events at which the run began. */
  readonly begunAt: number;
  readonly saw: Map<number, WriteId>;
  isStorable: boolean;
}

/** The handler failed. This has nothing to do with the store. */
export class OriginFailure extends Error {}

/** Computes responses, and remembers every computation, so that a response can be traced back to it. */
export class Origin {
  readonly runs: Run[] = [];
  readonly #interleaving: Interleaving;

  constructor(interleaving: Interleaving) {
    this.#interleaving = interleaving;
  }

  begin(page: Page, begunAt: number): Run {
    const run: Run = { number: this.runs.length, page, begunAt, saw: new Map(), isStorable: false };
    this.runs.push(run);
    return run;
  }

  /**
   * Computes like the route lane: it collects what was read, and then decides whether the response may be stored, and
   * under which tags.
   */
  async compute(
    run: Run,
    connection: ObservedConnection,
    recording: Recording,
    treatment: Treatment,
  ): Promise<Computation> {
    recording.makesAnswer = true;
    await this.#interleaving.pause('handler begins');
    if (treatment === 'transactional' || treatment === 'tentative') {
      await connection.query(SQL.begin, [], recording);
      if (treatment === 'tentative') await connection.write(run.page.rows[0] ?? 0, recording);
      await this.#read(run, connection, recording);
      await connection.query(treatment === 'tentative' ? SQL.rollback : SQL.commit, [], recording);
    } else {
      await this.#read(run, connection, recording);
    }
    if (treatment === 'failing') throw new OriginFailure();
    if (treatment === 'slow') await this.#interleaving.longPause('handler takes long');
    await this.#interleaving.pause('handler renders');
    const reason = treatment === 'private' ? 'it is private' : recording.unstorable?.text;
    if (reason !== undefined) return { unstorable: { code: 'refused', detail: reason } };
    run.isStorable = true;
    return {
      response: { status: 200, headers: [], body: Buffer.from([run.number]), etag: undefined },
      labels: { contentType: CONTENT_TYPE, route: run.page.key, params: {}, identity: '' },
      tags: [...recording.content, EVERYTHING, contentTypeTag(CONTENT_TYPE)],
      maxAge: MAX_AGE,
    };
  }

  async #read({ page, saw }: Run, connection: ObservedConnection, recording: Recording): Promise<void> {
    if (page.whole) {
      const { rows } = await connection.query(SQL.readAll, [], recording);
      for (const { id, value } of rows ?? []) saw.set(id as number, value as WriteId);
      return;
    }
    for (const id of page.rows) {
      const { rows } = await connection.query(SQL.readRow, [id], recording);
      saw.set(id, rows?.[0]?.value as WriteId);
    }
  }

  /** The computation that a response came from. */
  runBehind({ body }: StoredResponse): Run | undefined {
    return this.runs[body[0] ?? -1];
  }
}
