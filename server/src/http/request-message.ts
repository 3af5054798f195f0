import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * Whether a request brings a body, or says it will. A GET is not expected to (RFC 9110, section 9.3.1), but a handler
 * may read it all the same, and no key holds it.
 */
export const carriesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && Number(headers['content-length']) !== 0);

/** In a server of the application's own. Its requests and responses are other objects, which are not watched. */
export const isHttp2 = ({ httpVersionMajor }: IncomingMessage): boolean => httpVersionMajor >= 2;

/** Headers by which somebody says who is asking. */
export const CREDENTIAL_HEADERS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization'];

/** A header's value, its lines joined. */
export const headerIn = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const lines = headers[name];
  return Array.isArray(lines) ? lines.join(', ') : lines;
};

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method are not meant to change anything (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => SAFE.has(method);
