import { Box, Flex, Typography } from '@strapi/design-system';
import { useId } from 'react';
import { styled, type DefaultTheme } from 'styled-components';
import type { Period } from '../api/responses';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { niceMaximum, OUTCOMES, stackBars, total, type Outcome } from './chart-bars';

const COLORS: Readonly<Record<Outcome, keyof DefaultTheme['colors']>> = {
  hit: 'primary600',
  miss: 'warning500',
  hitpass: 'neutral400',
};

const Part = styled.rect<{ readonly $outcome: Outcome }>`
  fill: ${({ theme, $outcome }) => theme.colors[COLORS[$outcome]]};
`;

const Line = styled.line`
  stroke: ${({ theme }) => theme.colors.neutral200};
  vector-effect: non-scaling-stroke;
`;

const Swatch = styled.span<{ readonly $outcome: Outcome }>`
  width: 1.2rem;
  height: 1.2rem;
  border-radius: 2px;
  background: ${({ theme, $outcome }) => theme.colors[COLORS[$outcome]]};
`;

/** Covers the whole height of an interval, so that its numbers appear on hover however short its bar is. */
const Hovered = styled.rect`
  fill: transparent;

  &:hover {
    fill: ${({ theme }) => theme.colors.neutral800};
    fill-opacity: 0.1;
  }
`;

/** Stretches in width only. Its horizontal unit is one interval. */
const Plot = styled.svg<{ readonly $height: string }>`
  display: block;
  width: 100%;
  height: ${({ $height }) => $height};
`;

/** Milliseconds. The day is shown as well if an interval is at least this long. */
const HOUR = 3_600_000;

const HEIGHT = 100;
const BAR_WIDTH = 0.8;

interface RequestChartProps {
  readonly period: Period;
  /** Without axes and legend, for small places. */
  readonly compact?: boolean;
}

/** Hits, misses and bypasses over time: stacked bars in plain SVG, with their sums as text for screen readers. */
export const RequestChart = ({ period, compact = false }: RequestChartProps) => {
  const { words } = useWords();
  const { count, clock, dayAndHour } = useFormats();
  const titleId = useId();
  const { intervals, from, step, totals } = period;
  const time = step < HOUR ? clock : dayAndHour;
  const maximum = niceMaximum(Math.max(0, ...intervals.map(total)));
  const bars = stackBars(intervals, maximum);
  const last = from + step * intervals.length;
  const sums = { hits: count(totals.hit), misses: count(totals.miss), bypassed: count(totals.hitpass) };

  const valuesOf = (index: number): string => {
    const { hit = 0, miss = 0, hitpass = 0 } = intervals[index] ?? {};
    return words('chart.description', {
      from: time(from + step * index),
      to: time(from + step * (index + 1)),
      ...{ hits: count(hit), misses: count(miss), bypassed: count(hitpass) },
    });
  };

  const plot = (
    <Plot
      $height={compact ? '6rem' : '24rem'}
      viewBox={`0 0 ${intervals.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-labelledby={titleId}
    >
      <title id={titleId}>{words('chart.description', { from: time(from), to: time(last), ...sums })}</title>
      {[0, HEIGHT / 2, HEIGHT].map((y) => (
        <Line key={y} x1={0} x2={intervals.length} y1={y} y2={y} />
      ))}
      {bars.map((parts, index) => (
        // An interval has no identity other than its position.
        <g key={index}>
          {parts.map(({ outcome, from: bottom, height }) => (
            <Part
              key={outcome}
              $outcome={outcome}
              x={index + (1 - BAR_WIDTH) / 2}
              width={BAR_WIDTH}
              y={HEIGHT * (1 - bottom - height)}
              height={HEIGHT * height}
            />
          ))}
          <Hovered x={index} width={1} y={0} height={HEIGHT}>
            <title>{valuesOf(index)}</title>
          </Hovered>
        </g>
      ))}
    </Plot>
  );
  if (compact) return plot;

  return (
    <Flex direction="column" alignItems="stretch" gap={3}>
      <Flex gap={4} wrap="wrap">
        {OUTCOMES.map((outcome) => (
          <Flex key={outcome} gap={2}>
            <Swatch $outcome={outcome} aria-hidden />
            <Typography variant="pi" textColor="neutral700">
              {words(`outcome.${outcome}`)}
            </Typography>
          </Flex>
        ))}
      </Flex>
      <Flex alignItems="stretch" gap={2}>
        <Scale direction="column" justifyContent="space-between" alignItems="flex-end" aria-hidden>
          {[maximum, maximum / 2, 0].map((value) => (
            <Typography key={value} variant="pi" textColor="neutral600">
              {count(value)}
            </Typography>
          ))}
        </Scale>
        <Box flex="1" minWidth={0} paddingTop={2} paddingBottom={2}>
          {plot}
        </Box>
      </Flex>
      <TimeAxis justifyContent="space-between" aria-hidden>
        {[from, (from + last) / 2, last].map((at) => (
          <Typography key={at} variant="pi" textColor="neutral600">
            {time(at)}
          </Typography>
        ))}
      </TimeAxis>
    </Flex>
  );
};

const SCALE_WIDTH = '5.6rem';

const Scale = styled(Flex)`
  width: ${SCALE_WIDTH};
  font-variant-numeric: tabular-nums;
`;

const TimeAxis = styled(Flex)`
  padding-left: calc(${SCALE_WIDTH} + ${({ theme }) => theme.spaces[2]});
  font-variant-numeric: tabular-nums;
`;
