import type { ReactNode } from 'react';
import type { ExplainReason } from '../api/responses';
import { Code } from '../components/code';
import type { useFormats } from '../format/use-formats';
import type { useWords } from '../hooks/use-words';
import type { Words } from '../translations/words';

/** How Strapi's server words what makes it pass the cache by (server/src/http/hitpass.ts). */
const BYPASSES: Readonly<Record<string, Words>> = {
  'authorization or cookie header': 'reason.hitpass.credentials',
  'authenticated caller': 'reason.hitpass.caller',
  'hitpass function': 'reason.hitpass.function',
  'hitpass function failed': 'reason.hitpass.function-failed',
  'caller without an identity': 'reason.hitpass.no-identity',
  'credentials on a route without authentication': 'reason.hitpass.unknown-caller',
};

/** Beginnings of what the server says of a response it did not keep (server/src/http/storability.ts). */
const REFUSALS: ReadonlyArray<readonly [beginning: string, words: Words]> = [
  ['Set-Cookie', 'reason.unstorable.cookie'],
  ['Vary:', 'reason.unstorable.vary'],
  ['status ', 'reason.unstorable.status'],
  ['Cache-Control:', 'reason.unstorable.cache-control'],
  ['stream', 'reason.unstorable.stream'],
  ['changed meanwhile', 'reason.unstorable.meanwhile'],
  ['store unavailable', 'reason.unstorable.away'],
];

interface Vocabulary {
  readonly words: ReturnType<typeof useWords>['words'];
  readonly rich: ReturnType<typeof useWords>['rich'];
  readonly formats: ReturnType<typeof useFormats>;
}

/** Why a request is answered as it is, in a sentence or two. */
export const reasonWords = (reason: ExplainReason, { words, rich, formats }: Vocabulary): ReactNode => {
  const code = (text: string): ReactNode => <Code>{text}</Code>;
  switch (reason.code) {
    case 'stored':
    case 'forbidden':
    case 'never-asked':
      return words(`reason.${reason.code}`);
    case 'no-route':
      return reason.nearest === null
        ? words('reason.no-route')
        : rich('reason.no-route.nearest', { nearest: code(reason.nearest) });
    case 'route-not-cached':
      return reason.nearest === null
        ? rich('reason.route-not-cached', { route: code(reason.route) })
        : rich('reason.route-not-cached.nearest', { route: code(reason.route), nearest: code(reason.nearest) });
    case 'hitpass':
      return rich(BYPASSES[reason.detail] ?? 'reason.hitpass', { detail: reason.detail });
    case 'request-cache-control':
      return rich('reason.request-cache-control', { detail: code(reason.detail) });
    case 'unstorable': {
      const known = REFUSALS.find(([beginning]) => reason.detail.startsWith(beginning))?.[1];
      return rich(known ?? 'reason.unstorable', { detail: code(reason.detail), at: formats.moment(reason.at) });
    }
    case 'changed':
    case 'expired':
    case 'evicted':
      return words(`reason.${reason.code}`, { at: formats.moment(reason.at) });
    case 'store-away':
      return words('reason.store-away', { at: formats.moment(reason.since) });
  }
};
