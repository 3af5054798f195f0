/** The cost of each turn, by contestant. */
export type Turns<Name extends string = string> = Readonly<Record<Name, readonly number[]>>;

/** How many requests one contestant answers while another answers one. */
export interface Ratio {
  readonly value: number;
  /** The difference between the highest and the lowest generation of processes, as a share of the value. */
  readonly spread: number;
}

/**
 * Gives every contestant many short turns. Every other round runs in reverse order (A B B A …), so that no contestant
 * always follows the same one, and a drift of the machine affects all of them.
 */
export const takeTurns = async <Name extends string>(
  contestants: Readonly<Record<Name, () => Promise<number>>>,
  { rounds, warmUp = 0 }: { readonly rounds: number; readonly warmUp?: number },
): Promise<Turns<Name>> => {
  const names = Object.keys(contestants) as Name[];
  const turns = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const cost = await contestants[name]();
      if (round >= 0) turns[name].push(cost);
    }
  }
  return turns;
};

/**
 * The mean of the middle half. The extremes are left out, because they are turns during which the machine was busy with
 * something else. Unlike the minimum, the result does not depend on one lucky turn, and unlike the median it uses half
 * of the measurements.
 */
export const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
};

/**
 * How many requests `name` answers while `base` answers one, with the same CPU time. Turns of the same round are
 * compared before any are left out, because a disturbance of both is no reason to leave them out.
 */
export const ratioOf = <Name extends string>(turns: Turns<Name>, name: Name, base: Name): number =>
  Math.exp(middle(turns[name].map((cost, round) => Math.log((turns[base][round] ?? NaN) / cost))));

/**
 * The geometric mean of several generations. Two processes of the same program differ by some percent throughout their
 * lives, so one generation says too little about the program.
 */
export const overGenerations = (ratios: readonly number[]): Ratio => {
  const value = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  return { value, spread: (Math.max(...ratios) - Math.min(...ratios)) / value };
};
