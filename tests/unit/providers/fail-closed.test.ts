import { describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { tag } from '../../../server/src/cache/tag';
import type { CacheKey } from '../../../server/src/cache/key';
import { FailClosedProvider, InvalidationOwed } from '../../../server/src/providers/fail-closed';
import { MemoryProvider } from '../../../server/src/providers/memory';

const key = '/api/articles?&&' as CacheKey;
const articles = tag('articles!');
const limit = milliseconds(50);

const setUp = () => {
  const inner = new MemoryProvider({ clock: { now: () => milliseconds(1000) } });
  const errors: unknown[] = [];
  return { inner, errors, provider: new FailClosedProvider(inner, limit, (error) => errors.push(error)) };
};

describe('a provider that fails closed', () => {
  it('lets a write succeed although the store rejects, and serves nothing until the stamp is delivered', async () => {
    const { inner, errors, provider } = setUp();
    const invalidate = vi.spyOn(inner, 'invalidate').mockImplementation(() => {
      throw new Error('read-only');
    });
    await provider.invalidate([articles]);
    expect(errors).toHaveLength(1);
    await expect(provider.lookup(key)).rejects.toThrow(InvalidationOwed);
    expect(await provider.isStamped([tag('other!')], inner.sequence())).toBe(true);

    invalidate.mockRestore();
    const delivered = vi.spyOn(inner, 'invalidate');
    expect(await provider.lookup(key)).toEqual({ sequence: 1 });
    expect(delivered).toHaveBeenCalledWith([articles]);
    expect(provider.lookup(key)).toEqual({ sequence: 1 });
  });

  it('says that no guard holds while a stamp is owed, and says nothing for providers that cannot tell', async () => {
    const { inner, provider } = setUp();
    const guard = { tags: [tag('other!')], since: inner.sequence() };
    expect(provider.holds?.(guard)).toBe(true);
    vi.spyOn(inner, 'invalidate').mockImplementationOnce(() => {
      throw new Error('read-only');
    });
    await provider.invalidate([articles]);
    expect(provider.holds?.(guard)).toBe(false);
    await provider.lookup(key);
    expect(provider.holds?.(guard)).toBe(true);

    Object.assign(inner, { holds: undefined });
    expect(new FailClosedProvider(inner, limit, () => undefined).holds).toBeUndefined();
  });

  it('makes a write wait no longer than the limit for a store that hangs', async () => {
    const { inner, provider } = setUp();
    vi.spyOn(inner, 'announce').mockImplementation((() => new Promise(() => undefined)) as never);
    vi.spyOn(inner, 'invalidate').mockImplementation((() => new Promise(() => undefined)) as never);
    await provider.announce([articles]);
    await provider.invalidate([articles]);
    await expect(provider.lookup(key)).rejects.toThrow(InvalidationOwed);
  });

  it('does not count a stamp as delivered that failed while others were', async () => {
    const { inner, provider } = setUp();
    const invalidate = vi.spyOn(inner, 'invalidate');
    invalidate.mockImplementationOnce(() => {
      throw new Error('away');
    });
    await provider.invalidate([articles]);
    let finish: () => void = () => undefined;
    invalidate.mockImplementationOnce((() => new Promise<void>((resolve) => (finish = resolve))) as never);
    const asking = provider.lookup(key) as Promise<unknown>;
    await Promise.resolve();
    invalidate.mockImplementationOnce(() => {
      throw new Error('away again');
    });
    await provider.invalidate([articles]);
    finish();
    await asking;
    const calls = invalidate.mock.calls.length;
    await provider.lookup(key);
    expect(invalidate.mock.calls.length).toBe(calls + 1);
  });

  it('owes everything when it owes too much', async () => {
    const { inner, provider } = setUp();
    const invalidate = vi.spyOn(inner, 'invalidate').mockImplementation(() => {
      throw new Error('away');
    });
    for (let index = 0; index < 1001; index += 1) await provider.invalidate([tag(`articles#${index}`)]);
    invalidate.mockRestore();
    const delivered = vi.spyOn(inner, 'invalidate');
    await provider.lookup(key);
    expect(delivered).toHaveBeenCalledWith([tag('*')]);
  });
});
