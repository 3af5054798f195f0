import type { IncomingMessage } from 'node:http';

type Message = Pick<IncomingMessage, 'headers'> & {
  /** Of HTTP/2, where a body needs no header to announce it. */
  readonly stream?: { readonly endAfterHeaders?: boolean };
};

/**
 * Whether a request brings a body, or says it will. A GET is not expected to (RFC 9110, section 9.3.1), but a handler
 * may read it all the same, and no key holds it.
 */
export const carriesBody = ({ headers, stream }: Message): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && Number(headers['content-length']) !== 0) ||
  stream?.endAfterHeaders === false;

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method are not meant to change anything (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => SAFE.has(method);
