import { expect, it } from 'vitest';
import { logIn } from '../../application/admin-session';
import { probeApi, type ProbeRoute } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/** Variants of one key, by the fields that handlers name in `Vary` (RFC 9111, section 4.1), in each lane. */

const saying =
  (...names: string[]): ProbeRoute['handler'] =>
  (ctx) => {
    if (names.length > 0) ctx.vary(names);
    return { said: names.map((name) => ctx.get(name)) };
  };

const slow: ProbeRoute['handler'] = async (ctx) => {
  ctx.vary('Accept-Language');
  const language = ctx.get('Accept-Language');
  // Long enough for the other requests of the test to come meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { language };
};

const probe = probeApi([
  { path: '/probe/language', handler: saying('Accept-Language') },
  { path: '/probe/agent', handler: saying('User-Agent') },
  { path: '/probe/key', handler: saying('X-Api-Key') },
  { path: '/probe/slow', handler: slow },
  { path: '/probe/unsaid', handler: (ctx) => ({ language: ctx.get('Accept-Language'), vary: ctx.vary('X-Other') }) },
  { path: '/probe/cookie', handler: saying('Cookie') },
  { path: '/probe/authorization', handler: saying('Authorization', 'Accept-Language') },
  {
    path: '/probe/tags',
    handler: async (ctx, strapi) => {
      ctx.vary('Accept-Language');
      return { language: ctx.get('Accept-Language'), tags: await strapi.db.query('api::tag.tag').count() };
    },
  },
]);

export const vary: Questions = {
  about: 'a Vary of the handler',
  files: probe.files,
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
  ask: (application, lane) => {
    const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
      rawRequest(application, `/api${path}`, { headers, method });

    const said = async (path: string, headers: Record<string, string> = {}): Promise<[unknown, unknown]> => {
      const answer = await get(path, headers);
      return [answer.headers['x-cache'], JSON.parse(answer.body.toString())];
    };

    it.each([
      ['/probe/language', 'accept-language', 'de', 'en'],
      ['/probe/agent', 'user-agent', 'one/1.0', 'another/2.0'],
      ['/probe/key', 'x-api-key', 'a', 'b'],
    ])('%s: what differs in %s is answered apart, however often', async (path, name, one, other) => {
      const texts = [one, other, undefined];
      const expected = texts.map((text) => ({ said: [text ?? ''] }));
      const ask = (text: string | undefined) => said(path, text === undefined ? {} : { [name]: text });
      const before = probe.calls(path);
      for (const [index, text] of texts.entries()) expect(await ask(text)).toEqual(['MISS', expected[index]]);
      for (let round = 0; round < 4; round += 1)
        for (const [index, text] of texts.entries()) expect(await ask(text)).toEqual(['HIT', expected[index]]);
      expect(probe.calls(path)).toBe(before + 3);
    });

    it('who asks while another variant is computed is not given that', async () => {
      const languages = ['de', 'en', 'fr'];
      const answers = await Promise.all(
        languages.map((language) => said('/probe/slow', { 'accept-language': language })),
      );
      expect(answers.map(([, body]) => body)).toEqual(languages.map((language) => ({ language })));
    });

    it.each([
      ['/probe/unsaid', 'reads accept-language'],
      ['/probe/cookie', 'Vary: cookie'],
      ['/probe/authorization', 'Vary: authorization'],
    ])('%s is not kept: %s', async (path, detail) => {
      await get(path);
      const { headers } = await get(path);
      expect([headers['x-cache'], headers['cache-status']]).toEqual(['MISS', expect.stringContaining(detail)]);
    });

    it('a write ends all variants', async () => {
      const path = '/probe/tags';
      const both = async (): Promise<unknown[]> => [
        (await said(path, { 'accept-language': 'de' }))[0],
        (await said(path, { 'accept-language': 'en' }))[0],
      ];
      expect([await both(), await both(), await both()]).toEqual([
        ['MISS', 'MISS'],
        ['HIT', 'HIT'],
        ['HIT', 'HIT'],
      ]);
      await application.strapi.documents('api::tag.tag').create({ data: { name: `vary-${lane}` } as never });
      expect([await both(), await both()]).toEqual([
        ['MISS', 'MISS'],
        ['HIT', 'HIT'],
      ]);
    });

    it('HEAD and If-None-Match are answered of their variant', async () => {
      const german = { 'accept-language': 'de' };
      const { etag } = (await get('/probe/language', german)).headers;
      const asked = { ...german, 'if-none-match': String(etag) };
      const head = await get('/probe/language', german, 'HEAD');
      expect([head.status, head.headers.etag, head.headers['x-cache']]).toEqual([200, etag, 'HIT']);
      for (let round = 0; round < 3; round += 1) expect((await get('/probe/language', asked)).status).toBe(304);
      const english = await get('/probe/language', { ...asked, 'accept-language': 'en' });
      expect([english.status, english.body.toString()]).toEqual([200, '{"said":["en"]}']);
    });

    it('the panel shows and purges each, and Explain finds the one that a request gets', async () => {
      await get('/probe/language', { 'accept-language': 'de' });
      await get('/probe/key', { 'x-api-key': 'secret' });
      const admin = await logIn(application);
      const explained = async (language: string) =>
        admin.post<{ verdict: string; key: string }>('/rest-cache/explain', {
          url: '/api/probe/language',
          as: { kind: 'anonymous' },
          headers: { 'Accept-Language': language },
        });
      const { body: german } = await explained('de');
      expect(german).toMatchObject({ verdict: 'hit', key: '/api/probe/language?&;accept-language=de,origin&' });
      expect((await explained('tlh')).body).toMatchObject({ verdict: 'miss' });
      const entryPath = `/rest-cache/entries/detail?key=${encodeURIComponent(german.key)}`;
      expect((await admin.get(entryPath)).body).toMatchObject({
        variant: 'accept-language=de, origin',
        url: '/api/probe/language',
      });
      const { body: found } = await admin.get<{ results: unknown[] }>('/rest-cache/entries?search=/api/probe/key');
      expect(found.results.length).toBeGreaterThan(0);
      expect(JSON.stringify(found)).not.toContain('secret');
      await admin.post('/rest-cache/purge-entries', { keys: [german.key] });
      expect((await said('/probe/language', { 'accept-language': 'de' }))[0]).toBe('MISS');
      expect((await said('/probe/language', { 'accept-language': 'en' }))[0]).toBe('HIT');
    });
  },
};
