/** Counts by name: whole numbers that are added up over time and over processes. */
export type Tally = Readonly<Record<string, number>>;

/** What was counted between two readings of the same counters. */
export const increments = (before: Tally, after: Tally): Tally => {
  const grown: Record<string, number> = {};
  for (const [name, value] of Object.entries(after)) {
    const increment = value - (before[name] ?? 0);
    if (increment > 0) grown[name] = increment;
  }
  return grown;
};

export const addTallies = (tallies: Iterable<Tally>): Tally => {
  const sum: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
};

export const isEmptyTally = (tally: Tally): boolean => Object.keys(tally).length === 0;
