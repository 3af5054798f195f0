import { Typography } from '@strapi/design-system';
import type { ReactNode } from 'react';
import { styled } from 'styled-components';
import type { RouteCounts, RouteReason } from '../api/responses';
import { Code } from '../components/code';
import { TextLink } from '../components/text-link';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { explainReasonLink } from './links';
import { routeReasonWords } from './route-reason-words';

const List = styled.ul`
  li {
    padding-top: ${({ theme }) => theme.spaces[1]};
  }

  ul {
    padding-left: ${({ theme }) => theme.spaces[5]};
  }
`;

interface ReasonTreeProps {
  readonly path: string;
  readonly counts: RouteCounts;
}

/** The requests of a route, as numbers that add up: each stands under the one that includes it, with its reasons. */
export const ReasonTree = ({ path, counts }: ReasonTreeProps) => {
  const { words } = useWords();
  const { hit, miss, hitpass, store, reasons } = counts;
  const of = (kind: RouteReason['kind']): readonly RouteReason[] =>
    reasons.filter((reason) => reason.kind === kind && reason.code !== 'alone');
  const alone = reasons.find(({ code }) => code === 'alone');
  return (
    <List aria-label={words('routes.reasons', { path })}>
      <Branch name={words('outcome.hit')} count={hit} reasons={[]} />
      <Branch name={words('outcome.miss')} count={miss} reasons={of('fill')}>
        {miss === store ? null : (
          <Branch name={words('routes.not-kept')} count={miss - store} reasons={of('miss')}>
            {alone === undefined ? null : <Leaf reason={alone} />}
          </Branch>
        )}
      </Branch>
      <Branch name={words('outcome.hitpass')} count={hitpass} reasons={of('hitpass')} />
    </List>
  );
};

interface BranchProps {
  readonly name: string;
  readonly count: number;
  readonly reasons: readonly RouteReason[];
  readonly children?: ReactNode;
}

const Branch = ({ name, count, reasons, children }: BranchProps) => {
  const { words } = useWords();
  const { count: format } = useFormats();
  const hasParts = reasons.length > 0 || (children !== null && children !== undefined);
  return (
    <li>
      <Typography fontWeight="semiBold" textColor="neutral800">
        {words('colon', { before: name, after: format(count) })}
      </Typography>
      {hasParts ? (
        <ul>
          {reasons.map((reason) => (
            <Leaf key={`${reason.code} ${reason.detail}`} reason={reason} />
          ))}
          {children}
        </ul>
      ) : null}
    </li>
  );
};

const Leaf = ({ reason }: { readonly reason: RouteReason }) => {
  const vocabulary = useWords();
  const { words, rich } = vocabulary;
  const { count } = useFormats();
  const { code, latest, advice, detail } = reason;
  return (
    <li>
      <Typography textColor="neutral800">
        {rich('colon', { before: count(reason.count), after: routeReasonWords(reason, vocabulary) })}{' '}
        {latest === null ? null : <TextLink to={explainReasonLink(latest, code)}>{words('entry.explain')}</TextLink>}
      </Typography>
      {advice === null ? null : (
        <Typography tag="p" variant="pi" textColor="neutral600">
          {rich('routes.advice', { parameters: <Code key="1">{detail}</Code>, advice: <Code key="2">{advice}</Code> })}
        </Typography>
      )}
    </li>
  );
};
