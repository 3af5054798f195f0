import { Flex, Typography } from '@strapi/design-system';
import type { ComponentProps } from 'react';
import type { Explanation, Verdict } from '../api/responses';
import { activityWords, actorWords } from '../components/activity-words';
import { Code } from '../components/code';
import { Facts, type Fact } from '../components/facts';
import { identityWords, lookedAtWords } from '../components/identity-words';
import { Pill } from '../components/pill';
import { LaneAdvice, RouteLane } from '../components/route-lane';
import { Section } from '../components/section';
import { SharingBadge } from '../components/sharing-badge';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { reasonWords } from './reason-words';

const VARIANTS: Readonly<Record<Verdict, ComponentProps<typeof Pill>['variant']>> = {
  hit: 'success',
  miss: 'primary',
  refused: 'warning',
  bypass: 'warning',
  outside: 'neutral',
};

/** The answer: what would happen, why, and the facts behind it. */
export const ExplanationCard = ({ explanation }: { readonly explanation: Explanation }) => {
  const vocabulary = useWords();
  const formats = useFormats();
  const { words } = vocabulary;
  const { verdict, reason, target, differs } = explanation;
  return (
    <Section title={words('explain.answer')}>
      <Flex direction="column" alignItems="stretch" gap={4}>
        <Code>GET {target}</Code>
        <Flex>
          <Pill variant={VARIANTS[verdict]}>{words(`verdict.${verdict}`)}</Pill>
        </Flex>
        <Typography tag="p">{reasonWords(reason, { ...vocabulary, formats })}</Typography>
        {differs === null ? null : <Differs {...differs} />}
        <Facts facts={factsOf(explanation, vocabulary, formats)} />
      </Flex>
    </Section>
  );
};

/** Path and query of a key, whose last two `&` delimit headers and caller. */
const requestIn = (key: string): string => key.split('&').slice(0, -2).join('&').replace(/\?$/, '');

/** What tells the request from one whose response is cached, and what to write so that both share it. */
const Differs = ({ parameters, cached, advice }: NonNullable<Explanation['differs']>) => {
  const { words, rich } = useWords();
  const names = <Code key="1">{parameters.join(', ')}</Code>;
  return (
    <Typography tag="p">
      {rich('explain.differs', { parameters: names })}{' '}
      {cached === null
        ? words('explain.differs.asked')
        : rich('explain.differs.cached', { url: <Code key="2">{cached}</Code> })}{' '}
      {advice === null ? null : rich('routes.advice', { parameters: names, advice: <Code key="3">{advice}</Code> })}
    </Typography>
  );
};

const factsOf = (
  { route, key, identity, lookedAt, lane, entry, lastInvalidation }: Explanation,
  vocabulary: ReturnType<typeof useWords>,
  { bytes, count, moment, ago, inTime }: ReturnType<typeof useFormats>,
): Fact[] => {
  const { words } = vocabulary;
  const facts: Fact[] = [];
  if (route !== null) {
    facts.push({
      name: words('entry.route'),
      value: (
        <Flex gap={2} wrap="wrap">
          <Code>{route.path}</Code> {route.contentType.displayName}{' '}
          <SharingBadge sharing={route.sharing} contentType={route.contentType.uid} />
        </Flex>
      ),
    });
  }
  if (key !== null) facts.push({ name: words('explain.cached-as'), value: <Code>{requestIn(key)}</Code> });
  if (identity !== null)
    facts.push({ name: words('entries.caller'), value: identityWords(identity, undefined, words) });
  if (lookedAt !== null) facts.push({ name: words('caller.shared-by'), value: lookedAtWords(lookedAt, words) });
  if (entry !== null) {
    facts.push(
      { name: words('entries.age'), value: ago(0, entry.age) },
      { name: words('entry.expires'), value: inTime(entry.timeToLive) },
      { name: words('entries.size'), value: bytes(entry.size) },
      { name: words('entries.hits'), value: count(entry.hits) },
    );
    if (entry.readElsewhere) facts.push({ name: words('entry.sharedWork'), value: words('entry.readElsewhere') });
  }
  if (lane !== null) {
    facts.push({
      name: words('explain.lane'),
      value: (
        <>
          <RouteLane lane={lane} />
          <LaneAdvice lane={lane} />
        </>
      ),
    });
  }
  if (lastInvalidation !== null) {
    facts.push({
      name: words('explain.last'),
      value: (
        <>
          {moment(lastInvalidation.at)}: {activityWords(lastInvalidation, vocabulary)} (
          {actorWords(lastInvalidation.actor, vocabulary)})
        </>
      ),
    });
  }
  return facts;
};
