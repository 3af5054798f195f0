import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { endOfSignedUrl, lifeBySignedUrls } from '../../../server/src/http/signed-urls';

const NOW = milliseconds(Date.parse('2026-11-25T12:00:00Z'));
const second = (time: number): number => time / 1000;

const amazon = (seconds: number): string =>
  'https://bucket.s3.eu-west-1.amazonaws.com/a.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2F20261125' +
  `&X-Amz-Date=20261125T120000Z&X-Amz-Expires=${seconds}&X-Amz-Signature=abc&X-Amz-SignedHeaders=host&x-id=GetObject`;

/** Signed URLs, each with the time at which it expires. */
const SIGNED: ReadonlyArray<readonly [by: string, url: string, end: string]> = [
  ['AWS, Version 4', amazon(900), '2026-11-25T12:15:00Z'],
  ['AWS, with the date behind', 'https://s3/a?X-Amz-Expires=60&X-Amz-Date=20261125T120000Z', '2026-11-25T12:01:00Z'],
  ['Google, Version 4', 'https://g/a?X-Goog-Date=20261125T110000Z&X-Goog-Expires=7200', '2026-11-25T13:00:00Z'],
  ['CloudFront', `https://c/a?Expires=${second(NOW) + 5}&Signature=x&Key-Pair-Id=K`, '2026-11-25T12:00:05Z'],
  ['Bunny', `https://b/a?token=x&expires=${second(NOW) + 5}`, '2026-11-25T12:00:05Z'],
  ['Azure', 'https://a/a?sv=2024-11-04&se=2026-11-25T12%3A30%3A00Z&sr=b&sp=r&sig=x', '2026-11-25T12:30:00Z'],
];

describe('when a signed URL ends', () => {
  it.each(SIGNED)('%s', (_by, url, end) => {
    expect(endOfSignedUrl(url)).toBe(Date.parse(end));
  });

  it.each([
    'https://cdn/a.jpg',
    'https://cdn/a.jpg?token=x',
    'https://cdn/a.jpg?expires=never',
    'https://cdn/a.jpg?X-Amz-Expires=900',
    'https://cdn/a.jpg?X-Amz-Date=today&X-Amz-Expires=900',
    'https://shop/?se=2026-11-25',
  ])('is not said by %s', (url) => {
    expect(endOfSignedUrl(url)).toBeUndefined();
  });
});

describe('how long an answer with signed URLs may be kept', () => {
  const life = (text: string): number | undefined => lifeBySignedUrls(Buffer.from(text), NOW);

  it.each(SIGNED)('%s: half of what is left, in JSON, in HTML within JSON, and as text', (_by, url, end) => {
    const half = (Date.parse(end) - NOW) / 2;
    expect(life(JSON.stringify({ data: [{ title: 'é', cover: { url, size: 1 } }] }))).toBe(half);
    const html = `<img alt="x" src="${url.replaceAll('&', '&amp;')}">`;
    expect(life(html)).toBe(half);
    expect(life(JSON.stringify({ html }))).toBe(half);
    expect(life(`![x](${url})\nfurther`)).toBe(half);
    expect(life(url)).toBe(half);
  });

  it('goes by the one that ends first', () => {
    expect(life(JSON.stringify([amazon(900), amazon(60), amazon(3600)]))).toBe(30_000);
  });

  it('does not go by what has ended already, as text may name it', () => {
    expect(life(JSON.stringify({ text: amazon(-1) }))).toBeUndefined();
    expect(life(JSON.stringify([`https://c/a?Expires=${second(NOW) - 1}`, amazon(60)]))).toBe(30_000);
  });

  it.each(['', '{}', 'Expires=', 'a=1&se=', JSON.stringify({ expires: 'Expires=soon', url: '/a?response=1' })])(
    'says nothing of %s',
    (text) => {
      expect(life(text)).toBeUndefined();
    },
  );

  it('is found in a time that grows with the text alone, whatever visitors have written into it', () => {
    const startedAt = performance.now();
    expect(life('?se='.repeat(20_000))).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});
