import { execFileSync } from 'node:child_process';
import { freemem } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import type { MemoryMeasure } from './memory';
import { markdown } from './report';

const script = fileURLToPath(new URL('memory.mjs', import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const measured = (what: 'entries' | 'flood' | 'tags', scale: number): MemoryMeasure =>
  JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', '--import', tsx, script, what, String(scale)], { encoding: 'utf8' }),
  ) as MemoryMeasure;

const MB = 2 ** 20;
const inMegabytes = (bytes: number): string => Math.round(bytes / MB).toLocaleString('en-US');

/** Measures each claim about memory in a process of its own. */
export const measureMemory = async (): Promise<string> => {
  const needed = 3.5 * 2 ** 30;
  const entries = measured('entries', Math.min(1, freemem() / needed));
  const flood = measured('flood', 1);
  const tags = measured('tags', 1);
  const row = (what: string, { expected, grown, heapGrown }: MemoryMeasure, note: string): string[] => [
    what,
    inMegabytes(expected),
    inMegabytes(grown),
    `${((grown / expected - 1) * 100).toFixed(1)} %`,
    inMegabytes(heapGrown),
    note,
  ];
  const claims = markdown(
    ['what', 'bytes of bodies or budget, MB', 'resident memory grew by, MB', 'over', 'of it JavaScript heap, MB', ''],
    [
      row(`${entries.entries.toLocaleString('en-US')} entries of 83 KB`, entries, ''),
      row(
        `flood of ${flood.entries.toLocaleString('en-US')} distinct URLs, each twice`,
        flood,
        `${flood.hot?.[0] ?? 0} of ${flood.hot?.[1] ?? 0} hot requests still answered`,
      ),
    ],
  );
  const beside = `What ${tags.entries.toLocaleString('en-US')} entries of a 25-article list take beside their bodies, 74 tags each among it: ${inMegabytes(tags.grown)} MB, ${Math.round(tags.grown / tags.entries)} bytes an entry. The stamps of 1,500 writes on 161 tags each: ${inMegabytes(tags.heapGrown - tags.grown)} MB.`;
  return `${claims}\n\n${beside}`;
};
