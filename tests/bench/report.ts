import type { Generation } from './generation';
import { ratioOfHits } from './ratios';
import { HOMEPAGE, LIST } from './subjects';
import { middle, overGenerations, type Ratio, type Turns } from './turns';

export const markdown = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** The value at this share of an ascending list, with one decimal. */
export const quantile = (ascending: readonly number[], share: number): string =>
  (ascending[Math.floor(ascending.length * share)] ?? NaN).toFixed(1);

const LABELS: Readonly<Record<string, string>> = { [LIST]: '25-article list', [HOMEPAGE]: 'homepage' };

export const labelOf = (path: string): string => LABELS[path] ?? path;

/** Microseconds of CPU, as a mean over all generations. */
export const costOf = (turns: ReadonlyArray<Turns | undefined>, name: string): number =>
  overGenerations(turns.map((own) => middle(own?.[name] ?? []))).value;

export const withSpread = ({ value, spread }: Ratio): string => `${value.toFixed(2)} ± ${(spread * 50).toFixed(0)} %`;

/** A table with the CPU per request and the ratio to `base`, for each body. */
export const hitTable = (
  generations: readonly Generation[],
  names: Readonly<Record<string, string>>,
  base: string,
  paths: readonly string[] = [LIST, HOMEPAGE],
): string =>
  markdown(
    ['what', ...paths.flatMap((path) => [`${labelOf(path)}: CPU µs`, `to ${names[base] ?? base}`])],
    Object.entries(names).map(([name, label]) => [
      label,
      ...paths.flatMap((path) => {
        const turns = generations.map(({ hits }) => hits[path]?.[name]);
        if (turns[0]?.[name] === undefined) return ['–', '–'];
        return [costOf(turns, name).toFixed(1), withSpread(ratioOfHits(generations, path, name, base))];
      }),
    ]),
  );
