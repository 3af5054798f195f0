import type { ReactNode } from 'react';
import type { Actor, RouteReason } from '../api/responses';
import { actorWords } from '../components/activity-words';
import { Code } from '../components/code';
import type { useWords } from '../hooks/use-words';
import type { Words } from '../translations/words';
import { bareDetail } from './bare-detail';

/** Short texts for reasons. For other reasons the server's text is shown. */
const WORDS: Readonly<Partial<Record<string, Words>>> = {
  alone: 'routes.reason.alone',
  body: 'routes.reason.body',
  caller: 'routes.reason.caller',
  changed: 'routes.reason.changed',
  cookie: 'routes.reason.cookie',
  credentials: 'routes.reason.credentials',
  evicted: 'routes.reason.evicted',
  expired: 'routes.reason.expired',
  first: 'routes.reason.first',
  function: 'routes.reason.function',
  'function-failed': 'routes.reason.function-failed',
  gone: 'routes.reason.gone',
  head: 'routes.reason.head',
  'new-value': 'routes.reason.new-value',
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
  unkept: 'routes.reason.unkept',
  vary: 'routes.reason.vary',
};

/** Whoever has purged, from the server's `admin:Kim Doe`. */
const actorOf = (detail: string): Actor => {
  const [kind, name] = detail.split(/:(.*)/s);
  return { kind: kind as Actor['kind'], ...(name === undefined || name === '' ? {} : { name }) };
};

/** Explains why some requests of a route missed or bypassed the cache, or why their responses were not stored. */
export const routeReasonWords = (
  { code, detail }: Pick<RouteReason, 'code' | 'detail'>,
  vocabulary: ReturnType<typeof useWords>,
): ReactNode => {
  const { words, rich } = vocabulary;
  if (code === 'purge') return words('routes.reason.purge', { who: actorWords(actorOf(detail), vocabulary) });
  if (code === 'write') return words(detail === '' ? 'routes.reason.write-all' : 'routes.reason.write', { detail });
  const known = WORDS[code];
  return known === undefined ? <Code>{detail}</Code> : rich(known, { detail: <Code>{bareDetail(detail)}</Code> });
};
