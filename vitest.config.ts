import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Milliseconds. These end what hangs, and nothing else: a busy machine may take many times as long as an idle one. */
const hangs = { testTimeout: 300_000, hookTimeout: 600_000 };

/** Each file boots Strapis of its own, in a process of its own. */
const bootsStrapi = {
  pool: 'forks' as const,
  isolate: true,
  ...hangs,
  globalSetup: ['tests/application/prepare.ts'],
};

/** Files that keep nothing in their modules share a process: loading them anew for each file took a third of the time. */
const sharesModules = { isolate: false, ...hangs };

const MOVING_OVER = 'tests/integration/moving-over.test.ts';

/** Browsers run against a clock, which a busy machine stretches. Everything else gets one try. */
const againstTheClock = { retry: 2 };

/** The longest of files that run together, by the ends of their paths. One that began last would leave a core idle. */
const LONGEST = [
  'foreign/sqlite.test.ts',
  'foreign/postgres.test.ts',
  'foreign/mysql.test.ts',
  'foreign/sqlite-graphql-and-roles.test.ts',
  'check/check.test.ts',
  'integration/by-role.test.ts',
  'integration/no-cold-pages.test.ts',
  'simulation/one-process.test.ts',
  'simulation/several-processes.test.ts',
];

/** Begins with them. Vitest itself begins with the largest files until it has seen how long each takes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], ...sharesModules } },
      { test: { name: 'simulation', include: ['tests/simulation/**/*.test.ts'], ...sharesModules } },
      {
        test: {
          name: 'redis',
          include: ['tests/redis/**/*.test.ts'],
          ...hangs,
        },
      },
      { test: { name: 'differential', include: ['tests/differential/**/*.test.ts'], ...bootsStrapi } },
      // Files of the tests of one database each: `scripts/test.mjs` leaves out those whose database is missing.
      { test: { name: 'foreign', include: ['tests/foreign/**/*.test.ts'], ...bootsStrapi } },
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
          ...againstTheClock,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts', 'tests/check/**/*.test.ts'],
          exclude: [MOVING_OVER],
          ...bootsStrapi,
          // Several files share a process: loading Strapi's modules for each took a third of the time.
          isolate: false,
        },
      },
      // Boots Strapi without the plugin, whose lanes would still be on the routes of Strapi's plugins in a shared process.
      { test: { name: 'moving-over', include: [MOVING_OVER], ...bootsStrapi } },
      {
        test: {
          name: 'redis-integration',
          // What depends most on the store; all of it with `REST_CACHE_TEST_PROVIDER=redis … --project integration`.
          include: ['tests/integration/{spec-states,lanes-revocation,handlers,graphql}.test.ts'],
          ...bootsStrapi,
          env: { REST_CACHE_TEST_PROVIDER: process.env.REST_CACHE_TEST_PROVIDER ?? 'redis' },
        },
      },
      { test: { name: 'edge', include: ['tests/edge/**/*.test.ts'], ...bootsStrapi } },
      {
        test: {
          name: 'processes',
          include: ['tests/processes/**/*.test.ts'],
          ...bootsStrapi,
        },
      },
    ],
  },
});
