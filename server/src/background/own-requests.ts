import { AsyncResource } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import { milliseconds } from '../cache/milliseconds';
import type { Reason } from '../cache/response-cache';

/** `audit` computes and stores nothing. */
export type Purpose = 'warm' | 'revalidate' | 'audit';

/** What is sent. */
export interface Asked {
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of a request of the plugin's own: nothing, if it was answered in front of the lane or was not sent. */
export interface OwnOutcome {
  /** The entry that there is now, whoever has made it; for an audit, what would have been stored. */
  readonly made?: Pick<Entry, 'key' | 'response'> | undefined;
  /** Why there is none. */
  readonly reason?: Reason | undefined;
  /** Whether an error was thrown, the status is 500 or above, or it took too long. */
  readonly hasFailed?: boolean;
}

/** A request that the plugin itself sends, for one purpose. The route lane notes what became of it. */
export class OwnRequest {
  outcome: OwnOutcome = {};

  constructor(readonly purpose: Purpose) {}
}

/** A request that no client has sent is known by its object: nothing that a client sends makes a request one of these. */
const marks = new WeakMap<IncomingMessage, object>();

/** What a request that no client has sent was marked with; `undefined` for all others. */
export const markOf = (message: IncomingMessage): object | undefined => marks.get(message);

/** The plugin's own request that this is; `undefined` for all others. */
export const ownRequest = (message: IncomingMessage): OwnRequest | undefined => {
  const mark = markOf(message);
  return mark instanceof OwnRequest ? mark : undefined;
};

/** Methods of a socket that only change how it works. A stream has none of them. */
const OF_SOCKETS = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'] as const;

/**
 * A complete GET request, so that code that reads its body finds none. What is written to its socket is discarded.
 *
 * @returns its response, whose `req` it is.
 */
export const nobodysRequest = ({ target, headers }: Asked, mark: object): ServerResponse => {
  const nowhere = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  // What middlewares set on a connection: `ctx.req.setTimeout(…)`, for example.
  for (const name of OF_SOCKETS) Object.assign(nowhere, { [name]: () => nowhere });
  const message = new IncomingMessage(nowhere as Socket);
  message.method = 'GET';
  message.url = target;
  message.httpVersion = '1.1';
  for (const [name, value] of Object.entries(headers)) {
    message.headers[name.toLowerCase()] = value;
    message.rawHeaders.push(name, value);
  }
  message.complete = true;
  message.push(null);
  const response = new ServerResponse(message);
  response.assignSocket(message.socket);
  marks.set(message, mark);
  return response;
};

/** How long a request may take. One that takes longer has lost its client. */
export const LONGEST = milliseconds(30_000);

/** How long the application's end waits for what is under way. */
const LONGEST_DRAIN = milliseconds(10_000);

/** Sends requests of the plugin's own through the application's middlewares, and knows which are under way. */
export class OwnRequests {
  readonly #dispatch: (response: ServerResponse) => void;
  /** Work is begun here, so that no transaction and no trace of a visitor's request goes on in it. */
  readonly #outside = new AsyncResource('rest-cache');
  readonly #underWay = new Set<Promise<OwnOutcome>>();
  #isClosed = false;

  /** @param dispatch hands the request of a response to the application. */
  constructor(dispatch: (response: ServerResponse) => void) {
    this.#dispatch = dispatch;
  }

  /** Sends one request; resolves to what became of it, and never rejects. */
  send(asked: Asked, purpose: Purpose): Promise<OwnOutcome> {
    if (this.#isClosed) return Promise.resolve({});
    const sent = this.outside(() => this.#answered(asked, new OwnRequest(purpose)));
    this.#underWay.add(sent);
    return sent.finally(() => this.#underWay.delete(sent));
  }

  /** Runs work outside of any request. */
  outside<T>(work: () => T): T {
    return this.#outside.runInAsyncScope(work);
  }

  /** From now on, nothing is sent. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await withDeadline(Promise.all(this.#underWay), LONGEST_DRAIN).catch(() => undefined);
  }

  async #answered(asked: Asked, own: OwnRequest): Promise<OwnOutcome> {
    try {
      const response = nobodysRequest(asked, own);
      const ended = new Promise<void>((resolve) => response.once('finish', resolve).once('close', resolve));
      this.#dispatch(response);
      // What has lost its client is not stored.
      await withDeadline(ended, LONGEST).finally(() => response.req.socket.destroy());
      return own.outcome.made === undefined && response.statusCode >= 500 ? { hasFailed: true } : own.outcome;
    } catch {
      return { hasFailed: true };
    }
  }
}
