import type { OutcomeCounts } from '../api/responses';

export type Outcome = keyof OutcomeCounts;

/** From the bottom of a bar upwards. */
export const OUTCOMES: readonly Outcome[] = ['hit', 'miss', 'hitpass'];

/** A part of a bar, in units of the chart's height, from the bottom. */
export interface BarPart {
  readonly outcome: Outcome;
  readonly from: number;
  readonly height: number;
}

/** The smallest number of the form 1, 2 or 5 times a power of ten that is not smaller: what an axis ends with. */
export const niceMaximum = (value: number): number => {
  if (value <= 5) return 5;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= value) ?? value;
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
