import type { ReactNode } from 'react';
import type { ExplainedReason } from '../api/responses';
import { Code } from '../components/code';
import type { useFormats } from '../format/use-formats';
import type { useWords } from '../hooks/use-words';
import type { Words } from '../translations/words';
import { aboutWords, routeReasonWords } from './route-reason-words';

/** Texts for the causes of a bypass. Other causes, and reasons not to store, have the short texts of the routes. */
const BYPASSES: Readonly<Partial<Record<string, Words>>> = {
  credentials: 'reason.hitpass.credentials',
  caller: 'reason.hitpass.caller',
  function: 'reason.hitpass.function',
  'function-failed': 'reason.hitpass.function-failed',
  'no-identity': 'reason.hitpass.no-identity',
  'unknown-caller': 'reason.hitpass.unknown-caller',
};

/** Texts for the reasons why a response is not stored. */
const REFUSALS: Readonly<Partial<Record<string, Words>>> = {
  cookie: 'reason.unstorable.cookie',
  vary: 'reason.unstorable.vary',
  status: 'reason.unstorable.status',
  'cache-control': 'reason.unstorable.cache-control',
  stream: 'reason.unstorable.stream',
  changed: 'reason.unstorable.meanwhile',
  'store-away': 'reason.unstorable.away',
  thrown: 'reason.unstorable.thrown',
};

interface Vocabulary extends ReturnType<typeof useWords> {
  readonly formats: ReturnType<typeof useFormats>;
}

/** Explains in a sentence or two why a request is answered as it is. */
export const reasonWords = (reason: ExplainedReason, vocabulary: Vocabulary): ReactNode => {
  const { words, rich, formats } = vocabulary;
  const code = (text: string): ReactNode => <Code>{text}</Code>;
  const short = ({ cause, ...named }: Extract<ExplainedReason, { cause: string }>): ReactNode =>
    routeReasonWords({ ...named, code: cause }, vocabulary);
  switch (reason.code) {
    case 'stored':
    case 'old':
    case 'forbidden':
    case 'unauthorized':
    case 'never-asked':
    case 'graphql':
      return words(`reason.${reason.code}`);
    case 'answered-before':
      return rich('reason.answered-before', {
        by: code(vocabulary.sentence(reason.by)),
        status: String(reason.status),
        detail: code(reason.detail),
      });
    case 'no-route':
      return reason.nearest === null
        ? words('reason.no-route')
        : rich('reason.no-route.nearest', { nearest: code(reason.nearest) });
    case 'route-not-cached':
      return reason.nearest === null
        ? rich('reason.route-not-cached', { route: code(reason.route) })
        : rich('reason.route-not-cached.nearest', { route: code(reason.route), nearest: code(reason.nearest) });
    case 'hitpass':
      return rich(BYPASSES[reason.cause] ?? 'reason.hitpass', { detail: short(reason) });
    case 'request-cache-control':
      return rich('reason.request-cache-control', { detail: code(aboutWords(reason, vocabulary)) });
    case 'unstorable': {
      const own = REFUSALS[reason.cause];
      const detail = own === undefined ? short(reason) : code(aboutWords(reason, vocabulary));
      return rich(own ?? 'reason.unstorable', { detail });
    }
    case 'throws':
      return rich('reason.throws', { detail: code(aboutWords(reason, vocabulary)) });
    case 'changed':
    case 'expired':
    case 'evicted':
    case 'gone':
      return words(`reason.${reason.code}`, { at: formats.moment(reason.at) });
    case 'store-away':
      return words('reason.store-away', { at: formats.moment(reason.since) });
  }
};
