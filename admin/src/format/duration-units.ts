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

/** Splits a duration into the largest unit that fits and, from a minute upwards, the rest in the next smaller unit. */
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
