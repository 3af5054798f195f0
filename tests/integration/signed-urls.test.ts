import { expect, it } from 'vitest';
import { cacheStore } from '../application/cache-store';
import { later } from '../application/later';
import { runningApplication } from './running-application';

/** A provider of private uploads. Strapi has their URLs signed for each response, and they expire. */

const LIFE = 4000;

/** How the provider signs at the moment. */
let sign: (file: { readonly url: string }) => { readonly url: string };

const withEnd = ({ url }: { readonly url: string }): { readonly url: string } => ({
  url: `${url}?Expires=${Math.ceil((Date.now() + LIFE) / 1000)}&Signature=${Math.random()}`,
});
const withoutEnd = ({ url }: { readonly url: string }): { readonly url: string } => ({
  url: `${url}?token=${Math.random()}`,
});

const EXTENSION = `module.exports = (plugin) => {
  const { register } = plugin;
  plugin.register = async ({ strapi }) => {
    await register({ strapi });
    Object.assign(strapi.plugin('upload').provider, {
      isPrivate: async () => true,
      getSignedUrl: async (file) => globalThis[Symbol.for('rest-cache-tests sign')](file),
    });
  };
  return plugin;
};`;

const PATHS = ['/api/articles?populate=cover', '/api/articles?populate=*', '/api/upload/files', '/api/upload/files/1'];

(globalThis as Record<symbol, unknown>)[Symbol.for('rest-cache-tests sign')] = (file: { readonly url: string }) =>
  sign(file);
sign = withEnd;

const application = runningApplication(
  { 'src/extensions/upload/strapi-server.js': EXTENSION },
  {
    cacheControl: { enabled: true },
    contentTypes: [
      'api::article.article',
      { contentType: 'plugin::upload.file', routes: ['/api/upload/files', '/api/upload/files/:id'] },
    ],
  },
);

const ends = (body: string): number[] =>
  [...body.matchAll(/Expires=(\d+)/g)].map(([, second]) => Number(second) * 1000);

it('shows no URL that has ended, and none for longer than half of its life', async () => {
  const seen = new Map(PATHS.map((path) => [path, { hits: 0, urls: new Set<string>() }]));
  for (let passed = 0; passed < 2 * LIFE; passed += 100)
    await later(passed, async () => {
      for (const [path, of] of seen) {
        const { status, cache, body } = await application.get(path);
        expect(status, path).toBe(200);
        expect(ends(body).length, path).toBeGreaterThan(0);
        const left = Math.min(...ends(body)) - Date.now();
        expect(left, `${path} ${cache}`).toBeGreaterThan(cache === 'HIT' ? LIFE / 2 : 0);
        if (cache === 'HIT') of.hits += 1;
        of.urls.add(/Signature=[\d.]+/.exec(body)?.[0] ?? '');
      }
    });
  for (const [path, { hits, urls }] of seen) {
    expect(hits, path).toBeGreaterThan(2);
    expect(urls.size, path).toBeGreaterThan(2);
  }
});

it('tells other caches no longer time either', async () => {
  sign = withEnd;
  await cacheStore(application).clearByUid('plugin::upload.file');
  const { headers } = await application.get('/api/upload/files/1');
  expect(Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1])).toBeLessThanOrEqual(LIFE / 2000 + 1);
});

it('keeps no answer whose URLs do not say when they end', async () => {
  sign = withoutEnd;
  for (const path of PATHS) {
    const query = path.includes('?') ? `${path}&pagination[pageSize]=7` : `${path}?again=1`;
    expect((await application.get(query)).cache, path).toBe('MISS');
    expect((await application.get(query)).cache, path).toBe('MISS');
  }
});

it('keeps those whose URLs the provider leaves as they are', async () => {
  sign = (file) => file;
  for (const path of PATHS) {
    const query = path.includes('?') ? `${path}&pagination[pageSize]=6` : `${path}?again=2`;
    expect((await application.get(query)).cache, path).toBe('MISS');
    expect((await application.get(query)).cache, path).toBe('HIT');
  }
});
