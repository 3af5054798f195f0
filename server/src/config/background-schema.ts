import { z } from 'zod';
import type { WarmConfig } from './background-config';
import { count, duration, flag, isFunction, isNumberFrom, object, timer, value } from './values';

export const stale = object({ whileRevalidate: duration, ifError: duration, timeout: timer });

const isTarget = (written: unknown): boolean => typeof written === 'string' && written.startsWith('/');
export const warmOptions = object(
  {
    top: count,
    urls: value<NonNullable<WarmConfig['urls']>>(
      'a list of paths such as "/api/articles?sort=title", or a function that makes one',
      (written) => isFunction(written) || (Array.isArray(written) && written.every(isTarget)),
    ).optional(),
    afterWrites: flag,
    atBoot: flag,
    concurrency: count,
  },
  'true, false or an object',
);
export const warm = z.preprocess(
  (written: boolean | z.input<typeof warmOptions>) => (written === true ? {} : written === false ? undefined : written),
  warmOptions.optional(),
);

export const audit = object({
  rate: value<number>('a number from 0 to 1', isNumberFrom(0, 1)).optional(),
  perMinute: count,
});
