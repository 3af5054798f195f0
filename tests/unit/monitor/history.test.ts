import { expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { History, intervalsOf, LAST_DAY, LAST_HOUR } from '../../../server/src/monitor/metrics-recorder';

const minute = 60_000;
const at = (value: number) => milliseconds(value);

it('holds one tally per interval, oldest first, the present one last', () => {
  const history = new History();
  history.add(at(100 * minute), { hit: 1 });
  history.add(at(100 * minute + 59_999), { hit: 2, miss: 1 });
  history.add(at(101 * minute), { hit: 4 });
  const read = history.read(LAST_HOUR, at(102 * minute));
  expect(read).toHaveLength(60);
  expect(read.slice(-3)).toEqual([{ hit: 3, miss: 1 }, { hit: 4 }, {}]);
});

it('forgets what lies before its span', () => {
  const history = new History();
  for (let index = 0; index < 1000; index += 1) history.add(at(index * minute), { hit: 1 });
  expect(history.read(LAST_HOUR, at(999 * minute)).every(({ hit }) => hit === 1)).toBe(true);
  expect(history.read(LAST_HOUR, at(2000 * minute)).every(({ hit }) => hit === undefined)).toBe(true);
});

it('spans an hour by minutes and a day by quarters of an hour', () => {
  expect(LAST_HOUR.step * LAST_HOUR.length).toBe(60 * minute);
  expect(LAST_DAY.step * LAST_DAY.length).toBe(24 * 60 * minute);
  expect(intervalsOf(LAST_DAY, at(0)).at(-1)).toBe(0);
});
