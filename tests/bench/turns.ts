/** What a turn of each contestant cost, turn by turn. */
export type Turns<Name extends string = string> = Readonly<Record<Name, readonly number[]>>;

/** How many requests one contestant answers where another answers one. */
export interface Ratio {
  readonly value: number;
  /** Between the lowest and the highest generation of processes, as a share of the value. */
  readonly spread: number;
}

/**
 * Lets everybody have many short turns. Every other round goes in reverse (A B B A …), so that nobody always follows the
 * same one, and what drifts drifts for all.
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
 * The mean of the middle half. What is furthest out is left out: turns during which the machine had something else to do.
 * Unlike the least of all it does not depend on one lucky turn, unlike the median it uses half of what was measured.
 */
export const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
};

/**
 * How many `name` answers where `base` answers one, with the same CPU time. Turns of one round are compared with each
 * other before any are left out: what slowed both is no reason to leave them out.
 */
export const ratioOf = <Name extends string>(turns: Turns<Name>, name: Name, base: Name): number =>
  Math.exp(middle(turns[name].map((cost, round) => Math.log((turns[base][round] ?? NaN) / cost))));

/** Two processes of one program differ by some percent for as long as they live: several say what is the program's. */
export const overGenerations = (ratios: readonly number[]): Ratio => {
  const value = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  return { value, spread: (Math.max(...ratios) - Math.min(...ratios)) / value };
};
