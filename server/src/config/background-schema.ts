import { milliseconds } from '../cache/milliseconds';
import type { WarmConfig } from './background-config';
import { count, duration, flag, isFunction, isNumberFrom, object, switched, value } from './values';

const never = milliseconds(0);
export const stale = object({
  whileRevalidate: duration.default(never),
  ifError: duration.default(never),
  timeout: duration.default(never),
});
export const NEVER_STALE = stale.parse({});

/** Whether it is a path, with or without a query. */
export const isTarget = (written: unknown): boolean => typeof written === 'string' && written.startsWith('/');
export const warmOptions = object(
  {
    top: count.default(50),
    urls: value<NonNullable<WarmConfig['urls']>>(
      'a list of paths such as "/api/articles?sort=title", or a function that makes one',
      (written) => isFunction(written) || (Array.isArray(written) && written.every(isTarget)),
    ).default([]),
    afterWrites: flag.default(true),
    atBoot: flag.default(true),
    concurrency: count.default(1),
  },
  'true, false or an object',
);
export const warm = switched(warmOptions);

export const audit = object({
  rate: value<number>('a number from 0 to 1', isNumberFrom(0, 1)).default(0.01),
  perMinute: count.default(10),
});
