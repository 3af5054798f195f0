import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../application/paths';
import { measureEditingDay, type EditingDay } from './editing-day';
import { markdown, quantile } from './report';

/** By its label, what is configured in addition to the content types. */
const STRATEGIES = { 'without `warm`': {}, 'with `warm: true`': { warm: true } } as const;

type Days = Readonly<Record<keyof typeof STRATEGIES, EditingDay>>;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Measures both, and draws the chart that the documentation shows. */
export const measureEditingDays = async (): Promise<Days> => {
  const days: Partial<Record<keyof Days, EditingDay>> = {};
  for (const [label, strategy] of Object.entries(STRATEGIES))
    days[label as keyof Days] = await measureEditingDay(`editing day ${label}`, strategy);
  writeFileSync(path.join(ROOT, 'docs', 'charts', 'editing-day.svg'), editingDayChart(days as Days));
  return days as Days;
};

export const editingDayTable = (days: Days): string =>
  markdown(
    ['an editing day', 'requests', 'computed', 'hits', 'p50 ms', 'p99 ms', 'write p50 ms', 'write p90 ms', 'stale'],
    Object.entries(days).map(([label, { tenths, latencies, writes, stale }]) => {
      const requests = sum(tenths.map((tenth) => tenth.requests));
      const computed = sum(tenths.map((tenth) => tenth.computed));
      const hits = `${(100 * (1 - computed / requests)).toFixed(2)} %`;
      const times = [quantile(latencies, 0.5), quantile(latencies, 0.99), quantile(writes, 0.5), quantile(writes, 0.9)];
      return [label, String(requests), String(computed), hits, ...times, String(stale)];
    }),
  );

const COLORS = ['#d9822f', '#4945ff'];
const HEIGHT = 160;
const BAR = 22;
const LEFT = 40;

/** A chart of the visitors who had to wait for Strapi, in each tenth of the day. */
const editingDayChart = (days: Days): string => {
  const highest = Math.max(1, ...Object.values(days).flatMap(({ tenths }) => tenths.map(({ computed }) => computed)));
  const group = 2 * BAR + 12;
  const width = LEFT + 10 * group;
  const bars = Object.values(days).flatMap(({ tenths }, day) =>
    tenths.map(({ computed }, tenth) => {
      const height = (HEIGHT * computed) / highest;
      const x = LEFT + tenth * group + day * BAR;
      const label = `<text x="${x + BAR / 2}" y="${24 + HEIGHT - height}" text-anchor="middle">${computed}</text>`;
      const bar = `<rect x="${x}" y="${28 + HEIGHT - height}" width="${BAR - 2}" height="${height}" fill="${COLORS[day]}"/>`;
      return `${bar}${label}`;
    }),
  );
  const legend = Object.keys(days).map(
    (label, day) =>
      `<rect x="${LEFT + day * 180}" y="${HEIGHT + 44}" width="12" height="12" fill="${COLORS[day]}"/>` +
      `<text x="${LEFT + 18 + day * 180}" y="${HEIGHT + 54}">${label.replaceAll('`', '')}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT + 66}" font-family="sans-serif" font-size="11" fill="#666687" role="img">`,
    '<title>Requests that Strapi had to compute, in each tenth of an editing day</title>',
    ...bars,
    `<line x1="${LEFT}" x2="${width}" y1="${HEIGHT + 28}" y2="${HEIGHT + 28}" stroke="#666687"/>`,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
};
