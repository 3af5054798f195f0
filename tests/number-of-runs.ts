/** Set by `npm test`, which tries a tenth of the cases; `npm run test:all` tries all of them. */
const isQuick = process.env.REST_CACHE_TEST_QUICK === 'true';

/** How many cases a property test tries, at least a hundred of `all`. */
export const numberOfRuns = (all: number): number => (isQuick ? Math.min(all, Math.max(100, all / 10)) : all);
