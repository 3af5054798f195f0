import { equal, ok } from 'node:assert/strict';
import { EVERYTHING, tag } from '../server/src/cache/tag';
import { bodyOf, fill, key, noted, sampleEntry } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

/** The one rule: an entry is not served if one of its tags was stamped after its sequence number. */
export const describeInvalidation = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('takes a higher number with every invalidation', () =>
    withProvider(subject, async ({ provider }) => {
      let before = await noted(provider);
      for (const name of ['a', 'b', 'a', '*']) {
        const number = await provider.invalidate([tag(name)]);
        ok(number > before, `${number} follows ${before}`);
        equal(provider.knownSequence(), number);
        equal(await noted(provider), number);
        before = number;
      }
    }));

  it('lets go of entries that carry a stamped tag, and of no others', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { key: key('a'), tags: ['a', 'shared'] });
      await fill(provider, clock, { key: key('b'), tags: ['b', 'shared'] });
      await fill(provider, clock, { key: key('c'), tags: ['c'] });
      await provider.invalidate([tag('a'), tag('never used')]);
      equal(await bodyOf(provider, key('a')), undefined);
      ok(await bodyOf(provider, key('b')));
      await provider.invalidate([tag('shared')]);
      equal(await bodyOf(provider, key('b')), undefined);
      ok(await bodyOf(provider, key('c')));
    }));

  it('lets go of everything when everything is stamped', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { key: key('a'), tags: ['a'] });
      await fill(provider, clock, { key: key('b'), tags: [] });
      await provider.invalidate([EVERYTHING]);
      equal(await bodyOf(provider, key('a')), undefined);
      equal(await bodyOf(provider, key('b')), undefined);
      equal(await fill(provider, clock, { key: key('a'), tags: ['a'] }), true);
      ok(await bodyOf(provider, key('a')));
    }));

  it('does not keep a response that was computed before an invalidation and arrives after it', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const { sequence } = await provider.lookup(key('articles'));
      ok(sequence !== undefined);
      await provider.invalidate([tag('articles')]);
      equal(await provider.store(sampleEntry(sequence, clock)), false);
      equal(await bodyOf(provider), undefined);
    }));

  it('keeps a response whose tags were left alone while it was computed', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const sequence = await noted(provider);
      await provider.invalidate([tag('other')]);
      equal(await provider.store(sampleEntry(sequence, clock)), true);
      ok(await bodyOf(provider));
    }));

  it('never lets an older response replace a younger one and live', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const early = await noted(provider);
      await provider.invalidate([tag('articles')]);
      await fill(provider, clock, { body: 'young' });
      await provider.store(sampleEntry(early, clock, { body: 'old' }));
      ok((await bodyOf(provider)) !== 'old');
    }));

  it('stamps thousands of tags at once', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { key: key('first'), tags: ['row:0'] });
      await fill(provider, clock, { key: key('last'), tags: ['row:4999'] });
      await fill(provider, clock, { key: key('other'), tags: ['row:5000'] });
      await provider.invalidate(Array.from({ length: 5000 }, (_, row) => tag(`row:${row}`)));
      equal(await bodyOf(provider, key('first')), undefined);
      equal(await bodyOf(provider, key('last')), undefined);
      ok(await bodyOf(provider, key('other')));
    }));

  it('agrees with a model over many random operations', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const names = ['a', 'b', 'c', 'd'];
      const stampedAt = new Map<string, number>();
      const model = new Map<string, { tags: string[]; number: number; body: string }>();
      let state = 20_240_611;
      const draw = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
        return (state >> 8) % below;
      };
      const numbers = [await noted(provider)];
      for (let step = 0; step < 250; step += 1) {
        const name = names[draw(4)] ?? 'a';
        switch (draw(3)) {
          case 0: {
            const number = await provider.invalidate([tag(name)]);
            stampedAt.set(name, number);
            numbers.push(number);
            break;
          }
          case 1: {
            const sequence = numbers[Math.max(0, numbers.length - 1 - draw(3))] ?? numbers[0];
            ok(sequence !== undefined);
            const tags = names.filter(() => draw(2) === 0);
            const body = `${name}-${step}`;
            const alive = tags.every((carried) => (stampedAt.get(carried) ?? -1) <= sequence);
            equal(
              await provider.store(sampleEntry(sequence, clock, { key: key(name), tags, body })),
              alive,
              `step ${step}`,
            );
            if (alive) model.set(name, { tags, number: sequence, body });
            break;
          }
          default: {
            const held = model.get(name);
            const alive = held?.tags.every((carried) => (stampedAt.get(carried) ?? -1) <= held.number);
            equal(await bodyOf(provider, key(name)), alive === true ? held?.body : undefined, `step ${step}`);
          }
        }
      }
    }));
};
