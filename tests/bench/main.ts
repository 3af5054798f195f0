import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Console } from 'node:console';
import prepare from '../application/prepare';
import { ROOT } from '../application/paths';
import { editingDayTable, measureEditingDays } from './editing-day-report';
import { fullReport } from './full-report';
import { graphqlRatios, measureGraphql, type GraphqlCosts } from './graphql';
import { measureGeneration, type Generation } from './generation';
import { measureMisses, type Misses } from './misses';
import { lines, missRatios, plain, ratiosOf } from './ratios';
import { runFolder } from './strapi-process';
import { anotherBuild } from './subjects';

/** `npm run bench [-- --quick] [--misses] [--graphql] [--editing-day] [--json] [--peers]`; see docs/internals/benchmarks.md. */
const flags = new Set(process.argv.slice(2));
const isJson = flags.has('--json');
/** With `--json`, only JSON goes to the standard output. */
globalThis.console = new Console(isJson ? process.stderr : process.stdout, process.stderr);

const QUICK = { hits: 24, misses: 24, writes: 5 };
const GENERATIONS = 3;

/** `--misses`: only what a miss costs, in some minutes. */
const benchMisses = async (): Promise<void> => {
  const measured: Misses[] = [];
  while (measured.length < GENERATIONS) {
    measured.push(await measureMisses(QUICK.misses));
    console.log(`generation ${measured.length} of ${GENERATIONS}\n${lines({ misses: missRatios(measured) })}\n`);
  }
};

/** `--graphql`: only what GraphQL answers cost. */
const benchGraphql = async (): Promise<void> => {
  const measured: GraphqlCosts[] = [];
  while (measured.length < GENERATIONS) {
    measured.push(await measureGraphql(QUICK.misses));
    console.log(`generation ${measured.length} of ${GENERATIONS}\n${lines({ graphql: graphqlRatios(measured) })}\n`);
  }
};

/** `--editing-day`: what visitors wait for while editors publish. */
const benchEditingDay = async (): Promise<void> => console.log(editingDayTable(await measureEditingDays()));

const bench = async (): Promise<void> => {
  if (anotherBuild === undefined) prepare();
  if (flags.has('--misses')) return benchMisses();
  if (flags.has('--graphql')) return benchGraphql();
  if (flags.has('--editing-day')) return benchEditingDay();
  const folder = runFolder();
  let generations: readonly Generation[];
  if (flags.has('--quick')) {
    const measured: Generation[] = [];
    while (measured.length < GENERATIONS) {
      measured.push(await measureGeneration(QUICK, folder));
      console.log(`generation ${measured.length} of ${GENERATIONS}\n${lines(ratiosOf(measured))}\n`);
    }
    generations = measured;
  } else {
    const report = await fullReport(folder, flags.has('--peers'));
    ({ generations } = report);
    writeFileSync(path.join(ROOT, 'tests', 'bench', 'results.md'), report.text);
  }
  const ratios = ratiosOf(generations);
  if (isJson) {
    const json = { ratios: plain(ratios, 'value'), spread: plain(ratios, 'spread') };
    process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  } else if (!flags.has('--quick')) console.log(lines(ratios));
};

bench().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
