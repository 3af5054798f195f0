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

/** Headers that tracers hand on from one service to the next: they name one request, and never who asks or for what. */
export const TRACING_HEADERS: ReadonlySet<string> = new Set([
  'b3',
  'sentry-trace',
  'traceparent',
  'tracestate',
  'uber-trace-id',
  'x-amzn-trace-id',
  'x-b3-flags',
  'x-b3-parentspanid',
  'x-b3-sampled',
  'x-b3-spanid',
  'x-b3-traceid',
  'x-cloud-trace-context',
  'x-correlation-id',
  'x-datadog-origin',
  'x-datadog-parent-id',
  'x-datadog-sampling-priority',
  'x-datadog-tags',
  'x-datadog-trace-id',
  'x-request-id',
]);
