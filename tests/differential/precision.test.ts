import { expect, it } from 'vitest';
import { Driver } from './driver';
import { documentWrites } from './writes/documents';
import type { Kind } from './world';

const kinds: readonly Kind[] = ['document: edit a draft', 'author: edit', 'editor: edit'].flatMap((name) =>
  documentWrites.filter((kind) => kind.name === name),
);

/** How many entries the three writes purge. */
const purged = async (precision: 'table' | 'document'): Promise<number> => {
  const driver = await Driver.start({ seed: 11, lane: 'route', strategy: { precision } });
  // One application at a time, because Strapi keeps some of its state in globals.
  try {
    for (const kind of kinds) await driver.step(kind);
    expect(driver.findings).toEqual([]);
    expect(kinds).toHaveLength(3);
    return driver.tally.total.invalidated;
  } finally {
    await driver.stop();
  }
};

it("precision: 'table' is as right, and coarser", async () => {
  const coarse = await purged('table');
  const fine = await purged('document');
  expect(coarse).toBeGreaterThan(2 * fine);
}, 300_000);
