import { describe, expect, it } from 'vitest';
import { cacheKey, type CacheKey } from '../../../server/src/cache/key';
import { Variants } from '../../../server/src/http/variants';

const KEY = cacheKey({ path: '/a', query: {}, headers: [], identity: '' });
const OTHER = cacheKey({ path: '/b', query: {}, headers: [], identity: '' });

const world = () => {
  const fields: string[] = [];
  const variants = new Variants((name) => fields.push(name));
  const learn = (names: readonly string[], headers = {}, key = KEY): CacheKey | undefined =>
    variants.learn(key, names, headers);
  return { variants, fields, learn };
};

describe('variants of a key', () => {
  it('there are none before a handler has named a field', () => {
    const { variants, learn } = world();
    expect(variants.keyFor(KEY, { 'x-a': '1' })).toBe(KEY);
    expect(learn([])).toBe(KEY);
  });

  it('are told apart by all fields that any answer has named, sent or not', () => {
    const { variants, fields, learn } = world();
    expect(learn(['accept'], { accept: 'a/b' })).toBe('/a?&;accept=a%2Fb&');
    expect(learn(['origin'], { accept: 'a/b' })).toBe('/a?&;accept=a%2Fb,origin&');
    expect(learn([], { origin: 'https://a' })).toBe('/a?&;accept,origin=https%3A%2F%2Fa&');
    expect(variants.keyFor(KEY, {})).toBe('/a?&;accept,origin&');
    expect(variants.keyFor(OTHER, { accept: 'a/b' })).toBe(OTHER);
    expect(fields).toEqual(['accept', 'origin']);
  });

  it.each([
    ['accept-language', 'en, DE;q=0.5', 'EN,de; q=0.5', true],
    ['accept-language', 'en, de', 'de, en', false],
    ['accept-encoding', 'gzip, br', 'gzip,br', true],
    ['accept', 'a/b', 'A/b', false],
    ['x-own', '1,2', '1, 2', false],
  ])('by %s, "%s" and "%s" are one: %s', (name, one, other, isOne) => {
    const { variants, learn } = world();
    learn([name]);
    expect(variants.keyFor(KEY, { [name]: one }) === variants.keyFor(KEY, { [name]: other })).toBe(isOne);
  });

  it('hold no secret, and nothing of any length', () => {
    const { variants, learn } = world();
    learn(['x-api-key', 'origin']);
    const key = variants.keyFor(KEY, { 'x-api-key': 'secret', origin: 'o'.repeat(10_000) });
    expect(key).toMatch(/^\/a\?&;origin:[\w-]{43},x-api-key:[\w-]{43}&$/);
  });

  it('fields are bounded for all keys together', () => {
    const { fields, learn } = world();
    for (let index = 0; index < 50; index += 1) expect(learn([`x-${index}`], {}, OTHER)).toBeDefined();
    expect(learn(['x-50'])).toBeUndefined();
    expect(learn(['x-0'])).toBe('/a?&;x-0&');
    expect(fields).toHaveLength(50);
  });
});
