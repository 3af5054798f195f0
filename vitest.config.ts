import { defineConfig } from 'vitest/config';

/** Each integration file boots its own Strapi, in its own process: two at a time fill two cores. */
const bootsStrapi = {
  pool: 'forks' as const,
  isolate: true,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  globalSetup: ['tests/application/prepare.ts'],
};

/** Deadlines and browsers run against a clock, which a busy machine stretches. What counts and compares gets one try. */
const againstTheClock = { retry: 2 };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], testTimeout: 30_000 } },
      { test: { name: 'simulation', include: ['tests/simulation/**/*.test.ts'], testTimeout: 300_000 } },
      {
        test: {
          name: 'redis',
          include: ['tests/redis/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          ...againstTheClock,
        },
      },
      { test: { name: 'differential', include: ['tests/differential/**/*.test.ts'], ...bootsStrapi } },
      {
        test: {
          name: 'postgres',
          include: ['tests/histories/**/*.test.ts', 'tests/postgres/**/*.test.ts'],
          ...bootsStrapi,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          ...bootsStrapi,
          globalSetup: [...bootsStrapi.globalSetup, 'tests/browser/prepare-panel.ts'],
          hookTimeout: 240_000,
          ...againstTheClock,
        },
      },
      {
        test: { name: 'integration', include: ['tests/integration/**/*.test.ts'], ...bootsStrapi, ...againstTheClock },
      },
      {
        test: {
          name: 'redis-integration',
          // What depends most on the store; all of it with `REST_CACHE_TEST_PROVIDER=redis … --project integration`.
          include: ['tests/integration/{spec-states,lanes-deny-at-once,coalescing}.test.ts'],
          ...bootsStrapi,
          ...againstTheClock,
          env: { REST_CACHE_TEST_PROVIDER: process.env.REST_CACHE_TEST_PROVIDER ?? 'redis' },
        },
      },
      {
        test: {
          name: 'processes',
          include: ['tests/processes/**/*.test.ts'],
          ...bootsStrapi,
          hookTimeout: 300_000,
          ...againstTheClock,
        },
      },
    ],
  },
});
