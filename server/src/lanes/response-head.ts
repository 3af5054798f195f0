import { ServerResponse, STATUS_CODES } from 'node:http';

/** Node's own finished head of a response (status line and headers), which its type definitions leave out. */
type WithHead = ServerResponse & { _header?: string | null };

const { writeHead } = ServerResponse.prototype;

/**
 * Whether the head that Node makes depends only on the status and the headers that are passed to `writeHead`: the
 * connection stays open, no other code has set headers, and `writeHead` was not replaced by code that observes it.
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
 * The head of a response that is sent many times. Node checks and joins two dozen headers for each response, which is a
 * fifth of the work of sending one. This class sends the head that Node has made for one response again with later
 * ones. If this Node version does not accept that, or a response is not an ordinary one, Node makes each head anew.
 */
export class ResponseHead {
  #made: string | undefined;

  /** @param headers name, value, name, value …; without `Date`, which Node adds. */
  constructor(
    readonly status: 200 | 304,
    readonly headers: readonly string[],
  ) {}

  write(response: WithHead): void {
    const ordinary = isOrdinary(response);
    if (ordinary && this.#made !== undefined) {
      response._header = this.#made;
      // Node takes this head for its own, so it does not make another.
      if (response.headersSent) {
        response.statusCode = this.status;
        response.statusMessage = STATUS_CODES[this.status] ?? '';
        return;
      }
    }
    response.writeHead(this.status, [...this.headers]);
    const { _header: made } = response;
    if (ordinary && made?.endsWith('\r\n\r\n') === true) this.#made = made;
  }
}
