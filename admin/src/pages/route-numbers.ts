import type { RouteCounts } from '../api/responses';
import { hitRatio } from '../format/hit-ratio';

/** The counts of a route or of several together. */
export type Counts = Omit<RouteCounts, 'reasons'>;

export const requestsOf = ({ hit, miss, hitpass }: Counts): number => hit + miss + hitpass;

/** The time that Strapi spent on misses and bypasses, in milliseconds. */
export const costOf = ({ missTime, hitpassTime }: Counts): number => missTime + hitpassTime;

export interface Size {
  readonly entries: number;
  /** Bytes. */
  readonly bytes: number;
}

/** What a route, or a content type with all its routes, is sorted by. */
export interface Row {
  readonly name: string;
  readonly counts: Counts;
  /** `undefined` until it is known. */
  readonly size: Size | undefined;
}

export const COLUMNS = ['route', 'ratio', 'requests', 'spent', 'size'] as const;
export type Column = (typeof COLUMNS)[number];

const VALUES: Readonly<Record<Exclude<Column, 'route'>, (row: Row) => number>> = {
  ratio: ({ counts }) => hitRatio(counts) ?? -1,
  requests: ({ counts }) => requestsOf(counts),
  spent: ({ counts }) => costOf(counts),
  size: ({ size }) => size?.bytes ?? -1,
};

/**
 * Compares rows by a column. Equal ones are in the order of their names.
 *
 * @param sort `<column>:asc` or `<column>:desc`.
 */
export const comparing = (sort: string): ((one: Row, other: Row) => number) => {
  const [column, order] = sort.split(':');
  const sign = order === 'desc' ? -1 : 1;
  const byName = (one: Row, other: Row): number => one.name.localeCompare(other.name);
  const value = VALUES[column as keyof typeof VALUES] as ((row: Row) => number) | undefined;
  if (value === undefined) return (one, other) => sign * byName(one, other);
  return (one, other) => sign * (value(one) - value(other)) || byName(one, other);
};

export const addCounts = (all: readonly Counts[]): Counts => {
  const sum = { hit: 0, miss: 0, hitpass: 0, store: 0, saved: 0, missTime: 0, hitpassTime: 0 };
  for (const counts of all) for (const name of Object.keys(sum) as Array<keyof Counts>) sum[name] += counts[name];
  return sum;
};

export const addSizes = (all: ReadonlyArray<Size | undefined>): Size | undefined =>
  all.includes(undefined)
    ? undefined
    : {
        entries: all.reduce((sum, size) => sum + (size?.entries ?? 0), 0),
        bytes: all.reduce((sum, size) => sum + (size?.bytes ?? 0), 0),
      };
