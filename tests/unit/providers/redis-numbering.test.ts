import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Numbering } from '../../../server/src/providers/redis/numbering';

describe('numbering across epochs', () => {
  it('moves every number of a new epoch above all numbers seen before', () => {
    const numbering = new Numbering();
    expect(numbering.accept({ epoch: 'a', generation: 1, number: 500 })).toBe('new');
    const old = numbering.toEngine(500);
    expect(numbering.accept({ epoch: 'b', generation: 2, number: 3 })).toBe('new');
    for (const number of [0, 3, 10]) expect(numbering.toEngine(number)).toBeGreaterThan(old);
    expect(numbering.toRedis(old)).toBe(-1);
    expect(numbering.toRedis(numbering.toEngine(3))).toBe(3);
  });

  it('refuses what comes late from an epoch that is over', () => {
    const numbering = new Numbering();
    numbering.accept({ epoch: 'b', generation: 2, number: 3 });
    expect(numbering.accept({ epoch: 'a', generation: 1, number: 900 })).toBe('old');
    expect(numbering.accept({ epoch: 'c', generation: 2, number: 900 })).toBe('old');
    expect(numbering.remembered).toEqual(['b', 2, 3]);
  });

  it('keeps the order of numbers and epochs whatever is seen of them', () => {
    const positions = fc.array(fc.record({ generation: fc.integer({ min: 1, max: 5 }), number: fc.nat(1000) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(positions, (seen) => {
        const numbering = new Numbering();
        const given: Array<{ generation: number; number: number; engine: number }> = [];
        for (const { generation, number } of seen) {
          if (numbering.accept({ epoch: `e${generation}`, generation, number }) === 'old') continue;
          given.push({ generation, number, engine: numbering.toEngine(number) });
        }
        for (const a of given) {
          for (const b of given) {
            const before = a.generation < b.generation || (a.generation === b.generation && a.number < b.number);
            if (before) expect(a.engine).toBeLessThan(b.engine);
          }
        }
      }),
    );
  });
});
