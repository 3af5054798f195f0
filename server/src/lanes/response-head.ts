import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';

/** Node's own finished head of a response (status line and headers), which its type definitions leave out. */
type WithHead = ServerResponse & { _header?: string | null };

/** In which a reused head is written: what Node itself would have made of the same status and headers. */
type HeadStatus = 200 | 304;

const STATUS_MESSAGES: Readonly<Record<HeadStatus, string>> = { 200: 'OK', 304: 'Not Modified' };

const { writeHead } = ServerResponse.prototype;

/**
 * Whether Node's making of the head depends on nothing but the status and the headers given: a connection that stays
 * open, nothing set by others, and `writeHead` not replaced by an observer who wants to be called.
 */
const isOrdinary = (response: ServerResponse): boolean =>
  response.shouldKeepAlive &&
  response.req.httpVersionMinor === 1 &&
  (response as { maxRequestsOnConnectionReached?: boolean }).maxRequestsOnConnectionReached !== true &&
  response.sendDate &&
  response.writeHead === writeHead &&
  !response.headersSent &&
  response.getHeaderNames().length === 0;

/**
 * The head of a response that is sent many times. Node checks and joins two dozen headers for each response, which is
 * a fifth of the work of sending one; here the head that Node has made for one response is sent with the next. Where
 * this Node version does not let that be done, or the response is not an ordinary one, Node makes each head anew.
 */
export class ResponseHead {
  #made: string | undefined;

  /** @param headers name, value, name, value …; without `Date`, which Node adds. */
  constructor(
    readonly status: HeadStatus,
    readonly headers: readonly string[],
  ) {}

  write(response: ServerResponse): void {
    const ordinary = HEADS_CAN_BE_REUSED && isOrdinary(response);
    if (ordinary && this.#made !== undefined) {
      response.statusCode = this.status;
      response.statusMessage = STATUS_MESSAGES[this.status];
      (response as WithHead)._header = this.#made;
      return;
    }
    response.writeHead(this.status, [...this.headers]);
    if (ordinary) this.#made = (response as WithHead)._header ?? undefined;
  }
}

/** What a response writes to its connection. */
const written = (send: (response: WithHead) => void): string => {
  let bytes = '';
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = true;
  response.sendDate = false;
  const connection = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.toString('latin1');
      done();
    },
  });
  response.assignSocket(connection as Socket);
  send(response);
  return bytes;
};

/** Asks this very Node version, once. */
const canReuseHeads = (): boolean => {
  const body = Buffer.from('{}');
  let head: string | null | undefined;
  try {
    const made = written((response) => {
      response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', '2']);
      head = response._header;
      response.end(body);
    });
    const reused = written((response) => {
      response._header = head ?? null;
      response.end(body);
    });
    return head?.endsWith('\r\n\r\n') === true && made === `${head}{}` && reused === made;
  } catch {
    return false;
  }
};

const HEADS_CAN_BE_REUSED = canReuseHeads();
