import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { CREDENTIAL_HEADERS } from '../config/hitpass';

/**
 * Whether a request has a body, or announces one. A GET is not expected to have one (RFC 9110, section 9.3.1), but a
 * handler may read it all the same, and no key covers it.
 */
export const carriesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && Number(headers['content-length']) !== 0);

/** Only a server of the application's own speaks HTTP/2. Its requests and responses are other objects, not watched. */
export const isHttp2 = ({ httpVersionMajor }: IncomingMessage): boolean => httpVersionMajor >= 2;

/** Request headers whose values are never kept. */
export const SECRET_HEADERS: readonly string[] = [...CREDENTIAL_HEADERS, 'proxy-authorization'];

/** A header's value, its lines joined. */
export const headerIn = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const lines = headers[name];
  return Array.isArray(lines) ? lines.join(', ') : lines;
};

/** A header's value as the client sent it, whatever code in front has made of it; `undefined` if it was not sent. */
export const sentHeader = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string | undefined => {
  const lines: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const spelled = rawHeaders[index] ?? '';
    // Most names differ in their length already, and this is asked of each header that was read, on hits as well.
    if (spelled.length === name.length && spelled.toLowerCase() === name) lines.push(rawHeaders[index + 1] ?? '');
  }
  return lines.length === 0 ? undefined : lines.join(name === 'cookie' ? '; ' : ', ');
};

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether requests of this method are not meant to change anything (RFC 9110, section 9.2.1). */
export const isSafeMethod = (method: string): boolean => SAFE.has(method);

/** Headers that tracers pass from one service to the next: they identify a request, never who asks or for what. */
export const TRACING_HEADERS: ReadonlySet<string> = new Set([
  // Those of the W3C, of Zipkin, of Datadog, and of others.
  ...['traceparent', 'tracestate'],
  ...['b3', 'x-b3-flags', 'x-b3-parentspanid', 'x-b3-sampled', 'x-b3-spanid', 'x-b3-traceid'],
  ...['x-datadog-origin', 'x-datadog-parent-id', 'x-datadog-sampling-priority', 'x-datadog-tags', 'x-datadog-trace-id'],
  ...['sentry-trace', 'uber-trace-id', 'x-amzn-trace-id', 'x-cloud-trace-context', 'x-correlation-id', 'x-request-id'],
]);
