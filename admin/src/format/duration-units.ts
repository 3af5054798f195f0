type DurationUnit = 'day' | 'hour' | 'minute' | 'second' | 'millisecond';

const UNITS: ReadonlyArray<readonly [unit: DurationUnit, milliseconds: number]> = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
];

export interface DurationPart {
  readonly amount: number;
  readonly unit: DurationUnit;
}

/** A duration in the largest unit that fits and, above a minute, what remains in the next smaller one. */
export const inDurationUnits = (milliseconds: number): DurationPart[] => {
  const rounded = Math.round(milliseconds);
  const index = UNITS.findIndex(([, size]) => rounded >= size);
  const [unit, size] = UNITS[index] ?? (['millisecond', 1] as const);
  if (unit === 'second' || unit === 'millisecond') return [{ amount: rounded / size, unit }];
  const whole = Math.floor(rounded / size);
  const [nextUnit, nextSize] = UNITS[index + 1] ?? (['millisecond', 1] as const);
  const rest = Math.floor((rounded - whole * size) / nextSize);
  return rest === 0
    ? [{ amount: whole, unit }]
    : [
        { amount: whole, unit },
        { amount: rest, unit: nextUnit },
      ];
};
