import type { ReactNode } from 'react';
import type { RouteReason } from '../api/responses';
import { Code } from '../components/code';
import type { useWords } from '../hooks/use-words';
import type { Words } from '../translations/words';

/** Short texts for reasons. For other reasons the server's text is shown. */
const WORDS: Readonly<Partial<Record<string, Words>>> = {
  alone: 'routes.reason.alone',
  body: 'routes.reason.body',
  caller: 'routes.reason.caller',
  changed: 'routes.reason.changed',
  cookie: 'routes.reason.cookie',
  credentials: 'routes.reason.credentials',
  function: 'routes.reason.function',
  'function-failed': 'routes.reason.function-failed',
  head: 'routes.reason.head',
  'no-body': 'routes.reason.no-body',
  'no-identity': 'routes.reason.no-identity',
  other: 'routes.reason.other',
  'request-cache-control': 'routes.reason.request-cache-control',
  session: 'routes.reason.session',
  status: 'routes.reason.status',
  'store-away': 'routes.reason.store-away',
  stream: 'routes.reason.stream',
  thrown: 'routes.reason.thrown',
  'unknown-caller': 'routes.reason.unknown-caller',
  vary: 'routes.reason.vary',
};

/** Explains why some requests of a route bypassed the cache, or why their responses were not stored. */
export const routeReasonWords = (
  { code, detail }: Pick<RouteReason, 'code' | 'detail'>,
  rich: ReturnType<typeof useWords>['rich'],
): ReactNode => {
  const known = WORDS[code];
  return known === undefined ? <Code>{detail}</Code> : rich(known, { detail: <Code>{detail}</Code> });
};
