import { ChevronDown, ChevronRight } from '@strapi/icons';
import { useId } from 'react';
import type { ReportedRoute, RouteCounts } from '../api/responses';
import { Code } from '../components/code';
import { Meter } from '../components/meter';
import { BareButton, NumberData } from '../components/plain-table';
import { hitRatio } from '../format/hit-ratio';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { RouteDetail } from './route-detail';
import { COLUMNS, costOf, requestsOf, type Size } from './route-numbers';

export interface ShownRoute {
  readonly route: ReportedRoute;
  readonly counts: RouteCounts;
  /** The route's share of the time that Strapi spent on all cached routes, from 0 to 1. */
  readonly share: number;
  readonly size: Size | undefined;
}

interface RouteRowProps {
  readonly shown: ShownRoute;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A route in one row, and below it, once it is opened, the reasons for its numbers. */
export const RouteRow = ({ shown: { route, counts, share, size }, isOpen, onToggle }: RouteRowProps) => {
  const { words } = useWords();
  const { count, ratio, duration, bytes } = useFormats();
  const detail = useId();
  const Caret = isOpen ? ChevronDown : ChevronRight;
  const requests = requestsOf(counts);
  return (
    <>
      <tr>
        <td>
          <BareButton
            type="button"
            aria-expanded={isOpen}
            aria-controls={isOpen ? detail : undefined}
            onClick={onToggle}
          >
            <Caret aria-hidden />
            <Code>{route.path}</Code>
          </BareButton>
        </td>
        <NumberData>{ratio(hitRatio(counts))}</NumberData>
        <NumberData data-narrow="hidden">{count(requests)}</NumberData>
        <NumberData>
          {requests === 0 ? '–' : duration(costOf(counts))}
          {requests === 0 ? null : <Meter label={words('routes.share', { path: route.path })} value={share} />}
        </NumberData>
        <NumberData data-narrow="hidden">{size === undefined ? '–' : bytes(size.bytes)}</NumberData>
      </tr>
      {isOpen ? (
        <tr id={detail}>
          <td colSpan={COLUMNS.length}>
            <RouteDetail route={route} counts={counts} size={size} />
          </td>
        </tr>
      ) : null}
    </>
  );
};
