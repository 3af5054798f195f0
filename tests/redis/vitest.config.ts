import { defineConfig } from 'vitest/config';

/** Each file starts Redis processes of its own; two at a time fill two cores. */
export default defineConfig({
  test: {
    name: 'redis',
    root: new URL('../..', import.meta.url).pathname,
    include: ['tests/redis/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
