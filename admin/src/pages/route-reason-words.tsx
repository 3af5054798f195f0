import type { ReactNode } from 'react';
import type { Actor, RouteReason } from '../api/responses';
import { actorWords } from '../components/activity-words';
import { Code } from '../components/code';
import type { useWords } from '../hooks/use-words';
import { KNOWN_REASONS } from './known-reasons';

/** Whoever has purged, from the server's `admin:Kim Doe`. */
const actorOf = (detail: string): Actor => {
  const [kind, name] = detail.split(/:(.*)/s);
  return { kind: kind as Actor['kind'], ...(name === undefined || name === '' ? {} : { name }) };
};

/** The server's English, and what it is about. */
type Described = Pick<RouteReason, 'detail'> & Partial<Pick<RouteReason, 'about'>>;

/** What a reason names, without the English around it: `ValidationError (400)`, `404`, `x-shop`. */
export const aboutWords = (
  { detail, about }: Described,
  { sentence }: Pick<ReturnType<typeof useWords>, 'sentence'>,
): string => (about === undefined || about === null ? detail : typeof about === 'string' ? about : sentence(about));

/** Explains why some requests of a route missed or bypassed the cache, or why their responses were not stored. */
export const routeReasonWords = (
  reason: Described & Pick<RouteReason, 'code'>,
  vocabulary: ReturnType<typeof useWords>,
): ReactNode => {
  const { code, detail } = reason;
  const { words, rich } = vocabulary;
  if (code === 'purge') return words('routes.reason.purge', { who: actorWords(actorOf(detail), vocabulary) });
  if (code === 'write') return words(detail === '' ? 'routes.reason.write-all' : 'routes.reason.write', { detail });
  const known = KNOWN_REASONS.find((each) => each === code);
  return known === undefined ? (
    <Code>{detail}</Code>
  ) : (
    rich(`routes.reason.${known}`, { detail: <Code>{aboutWords(reason, vocabulary)}</Code> })
  );
};
