import type { Score } from './rounds';
import { labelOf, ratio, type Scores } from './hits';

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

/** One table over both bodies: requests per second, CPU per request, and the ratio to `base`. */
export const scoreTable = (scores: Scores, base: string, rename: Readonly<Record<string, string>> = {}): string => {
  const paths = [...scores.keys()];
  const names = [...new Set(paths.flatMap((path) => [...(scores.get(path)?.keys() ?? [])]))];
  const head = [
    'what',
    ...paths.flatMap((path) => [`${labelOf(path)}: req/s`, 'CPU µs', `to ${rename[base] ?? base}`]),
  ];
  const rows = names.map((name) => [
    rename[name] ?? name,
    ...paths.flatMap((path) => {
      const own = scores.get(path);
      const score = own?.get(name);
      if (own === undefined || score === undefined) return ['–', '–', '–'];
      return [number(score.perSecond), score.cpu.toFixed(1), ratio(own, name, base).toFixed(2)];
    }),
  ]);
  return markdown(head, rows);
};

export const markdown = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

/** Answers that were not answers spoil a comparison. */
export const complaints = (scores: Scores): string[] =>
  [...scores].flatMap(([path, own]) =>
    [...own.values()]
      .filter(({ errors }: Score) => errors > 0)
      .map(({ name, errors }) => `${name} failed ${errors} times on ${labelOf(path)}`),
  );
