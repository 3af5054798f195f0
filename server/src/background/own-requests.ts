import { AsyncResource } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { withDeadline } from '../cache/deadline';
import type { StoredResponse } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import { milliseconds } from '../cache/milliseconds';
import type { CacheOutcome } from '../http/cache-status';

/** `audit` computes and stores nothing. */
export type Purpose = 'warm' | 'revalidate' | 'audit';

export type Headers = Readonly<Record<string, string>>;

/** What became of a request of the plugin's own. */
export type OwnOutcome =
  /** What a visitor would have been given. A bypass is no answer. */
  | CacheOutcome
  | { readonly kind: 'computed'; readonly response: StoredResponse }
  /** Answered in front of the lane, or not sent any more. */
  | { readonly kind: 'answered' }
  /** An error was thrown, the status is 500 or above, or it took too long. */
  | { readonly kind: 'failed' };

/** A request that the plugin itself sends, for one purpose. The route lane notes what became of it. */
export class OwnRequest {
  outcome: OwnOutcome = { kind: 'answered' };

  constructor(
    readonly purpose: Purpose,
    /** The only key that may be computed; `undefined` if any may. */
    readonly key: CacheKey | undefined,
  ) {}
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

export interface NobodysRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/** Methods of a socket that only change how it works. A stream has none of them. */
const OF_SOCKETS = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'] as const;

/** A complete GET request, so that code that reads its body finds none. What is written to its socket is discarded. */
export const nobodysRequest = (target: string, headers: Headers, mark: object): NobodysRequest => {
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
  return { message, response };
};

/** Sends one request; resolves to what became of it, and never rejects. */
export type Send = (target: string, headers: Headers, purpose: Purpose, key?: CacheKey) => Promise<OwnOutcome>;

/** Whether there is a new entry, whoever has made it. */
export const isRefilled = (outcome: OwnOutcome): boolean =>
  outcome.kind === 'hit' || (outcome.kind === 'miss' && outcome.stored);

/** How long a request may take. One that takes longer has lost its client. */
export const LONGEST = milliseconds(30_000);

/** How long the application's end waits for what is under way. */
const LONGEST_DRAIN = milliseconds(10_000);

/** Sends requests of the plugin's own through the application's middlewares, and knows which are under way. */
export class OwnRequests {
  readonly #dispatch: (request: NobodysRequest) => void;
  /** Work is begun here, so that no transaction and no trace of a visitor's request goes on in it. */
  readonly #outside = new AsyncResource('rest-cache');
  readonly #underWay = new Set<Promise<OwnOutcome>>();
  #isClosed = false;

  /** @param dispatch hands a request to the application. It is answered by the response. */
  constructor(dispatch: (request: NobodysRequest) => void) {
    this.#dispatch = dispatch;
  }

  readonly send: Send = (target, headers, purpose, key) => {
    const own = new OwnRequest(purpose, key);
    if (this.#isClosed) return Promise.resolve(own.outcome);
    const sent = this.outside(() => this.#answered(target, headers, own));
    this.#underWay.add(sent);
    return sent.finally(() => this.#underWay.delete(sent));
  };

  /** Runs work outside of any request. */
  outside<T>(work: () => T): T {
    return this.#outside.runInAsyncScope(work);
  }

  /** From now on, nothing is sent. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await withDeadline(Promise.all(this.#underWay), LONGEST_DRAIN).catch(() => undefined);
  }

  async #answered(target: string, headers: Headers, own: OwnRequest): Promise<OwnOutcome> {
    try {
      const request = nobodysRequest(target, headers, own);
      const { response, message } = request;
      const ended = new Promise<void>((resolve) => response.once('finish', resolve).once('close', resolve));
      this.#dispatch(request);
      // What has lost its client is not stored.
      await withDeadline(ended, LONGEST).finally(() => message.socket.destroy());
      return isRefilled(own.outcome) || response.statusCode < 500 ? own.outcome : { kind: 'failed' };
    } catch {
      return { kind: 'failed' };
    }
  }
}
