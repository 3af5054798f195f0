import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

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

/** Headers by which somebody says who is asking. */
export const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];

/** A header's value, its lines joined. HTTP/2 has another word for the host. */
export const headerIn = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const lines = headers[name] ?? (name === 'host' ? headers[':authority'] : undefined);
  return Array.isArray(lines) ? lines.join(', ') : lines;
};

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method are not meant to change anything (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => SAFE.has(method);
