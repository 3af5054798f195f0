/**
 * Measures the cost of a purge and of an observed query. It prints the numbers and asserts nothing.
 *
 *   node --import tsx tests/bench/purge.mjs
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { MemoryProvider } from '../../server/src/providers/memory.ts';
import { systemClock } from '../../server/src/cache/clock.ts';
import { createStatementMemo } from '../../server/src/sql/statement-memo.ts';
import { record, Recording, currentRecording } from '../../server/src/observe/recording.ts';
import { SqlObserver } from '../../server/src/observe/sql-observer.ts';
import { TableCatalog } from '../../server/src/database/table-catalog.ts';

const body = Buffer.alloc(500, 'x');

const entry = (provider, number) => ({
  key: `/api/articles/${number}?&&`,
  response: { status: 200, headers: [['content-type', 'application/json']], body, etag: undefined },
  labels: {
    contentType: 'api::article.article',
    route: '/api/articles/:id',
    params: { id: String(number) },
    identity: '',
  },
  tags: [
    '*',
    'type:api::article.article',
    'articles!',
    ...Array.from({ length: 25 }, (_, index) => `articles#${number + index}`),
  ],
  sequence: provider.knownSequence(),
  createdAt: systemClock.now(),
  maxAge: 3_600_000,
  cost: 10,
});

const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

const purge = async (entries, tagsOf) => {
  const provider = new MemoryProvider({ clock: systemClock, maxSize: 200_000, maxBytes: 4e9 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const stamps = [];
  let longest = 0;
  for (let round = 0; round < 5; round += 1) {
    for (let number = 0; number < entries; number += 1) provider.store(entry(provider, number));
    globalThis.gc?.();
    await pause(50);
    const startedAt = performance.now();
    provider.invalidate(tagsOf(round));
    stamps.push(performance.now() - startedAt);
    delay.enable();
    // The sweep begins a moment later, and runs in slices.
    await pause(1500);
    delay.disable();
    longest = Math.max(longest, delay.percentile(99.9) / 1e6);
    delay.reset();
  }
  provider.close();
  return { stamp: median(stamps), longest };
};

const wildcard = () => ['type:api::article.article'];
const write = (round) => Array.from({ length: 300 }, (_, index) => `articles#${round * 300 + index}`);

console.log('| entries | wildcard purge | event loop held | a write of 300 tags | event loop held |');
console.log('|---:|---:|---:|---:|---:|');
for (const entries of [1_000, 100_000]) {
  const [all, some] = [await purge(entries, wildcard), await purge(entries, write)];
  const cell = (value) => `${value.toFixed(3)} ms`;
  console.log(
    `| ${entries} | ${cell(all.stamp)} | ${all.longest.toFixed(1)} ms | ${cell(some.stamp)} | ${some.longest.toFixed(1)} ms |`,
  );
}

const columns = ['id', 'document_id', 'title', 'slug', 'views', 'published_at', 'locale', 'created_at', 'updated_at'];
const catalog = new TableCatalog({
  tables: [{ name: 'articles', columns: columns.map((name) => ({ name })), foreignKeys: [] }],
});
const observer = new SqlObserver({
  sink: { announce: () => undefined, invalidate: () => undefined, withdraw: () => undefined },
  catalog: () => catalog,
  precision: 'document',
  classify: createStatementMemo('sqlite'),
  currentRecording,
  writeRequestsOnly: false,
});
const rows = Array.from({ length: 25 }, (_, index) =>
  Object.fromEntries(columns.map((name) => [name, name === 'id' ? index + 1 : 'x'])),
);
const access = { connection: {} };
const proceed = async () => ({ rows, insertedId: undefined });
const list =
  'select `t0`.* from `articles` as `t0` where (`t0`.`published_at` is not null and `t0`.`locale` = ?) order by `t0`.`title` asc, `t0`.`id` asc limit ?';
const one = 'select `t0`.`id`, `t0`.`title` from `articles` as `t0` where `t0`.`document_id` = ? limit ?';

const microseconds = async (work) => {
  const runs = 20_000;
  for (let run = 0; run < 5_000; run += 1) await work();
  const startedAt = performance.now();
  for (let run = 0; run < runs; run += 1) await work();
  return ((performance.now() - startedAt) / runs) * 1000;
};

console.log('\n| observed query | µs |');
console.log('|---|---:|');
const bare = await microseconds(proceed);
for (const [name, sql, bindings] of [
  ['a list of 25 rows', list, ['en', 25]],
  ['a document', one, ['abcdefghijklmnopqrstuvwx', 1]],
]) {
  const cost = await record(new Recording(false), () =>
    microseconds(() => observer.observe({ sql, bindings }, access, proceed)),
  );
  console.log(`| ${name}, within a request | ${(cost - bare).toFixed(1)} |`);
  const idle = await microseconds(() => observer.observe({ sql, bindings }, access, proceed));
  console.log(`| ${name}, outside any request | ${(idle - bare).toFixed(1)} |`);
}
process.exit(0);
