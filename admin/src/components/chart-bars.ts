import type { OutcomeCounts } from '../api/responses';

export type Outcome = keyof OutcomeCounts;

/** The parts of a bar, from the bottom upwards. */
export const OUTCOMES: readonly Outcome[] = ['hit', 'miss', 'hitpass'];

/** A part of a bar. Both numbers are fractions of the chart's height; `from` is measured from the bottom. */
export interface BarPart {
  readonly outcome: Outcome;
  readonly from: number;
  readonly height: number;
}

/** The maximum of an axis: the smallest round number that is at least `value` and whose half is a whole number. */
export const niceMaximum = (value: number): number => {
  if (value <= 4) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((half) => half >= value && half % 2 === 0) ?? value;
};

/** Stacked bars, one per interval, scaled to the axis' maximum. */
export const stackBars = (intervals: readonly OutcomeCounts[], maximum: number): BarPart[][] =>
  intervals.map((counts) => {
    let from = 0;
    return OUTCOMES.flatMap((outcome) => {
      const height = counts[outcome] / maximum;
      const part = { outcome, from, height };
      from += height;
      return height > 0 ? [part] : [];
    });
  });

export const total = ({ hit, miss, hitpass }: OutcomeCounts): number => hit + miss + hitpass;
