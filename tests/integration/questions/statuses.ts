import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { later } from '../../application/later';
import { probeApi, type ProbeContext, type ProbeRoute } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * Responses with other statuses than 200 that are stored, whether a handler sets the status or throws, and only for as
 * long as they are true.
 */

const { errors } = createRequire(import.meta.url)('@strapi/utils') as typeof import('@strapi/utils');

class OwnNotFoundError extends errors.NotFoundError {}

const ANSWERS: Readonly<Record<string, (ctx: ProbeContext) => unknown>> = {
  'its status': (ctx) => void (ctx.status = 410),
  'a body': (ctx) => {
    ctx.status = 404;
    ctx.set({ 'X-Own': 'yes', 'Last-Modified': 'Sun, 06 Nov 1994 08:49:37 GMT', ETag: '"own"' });
    return { gone: true };
  },
  notFound: (ctx) => (ctx as unknown as { notFound(text: string, details: object): unknown }).notFound('no', { a: 1 }),
  untouched: () => undefined,
  'Strapi error': () => Promise.reject(new errors.NotFoundError('no such thing', { a: 1 })),
  'Koa error': (ctx) => ctx.throw(410, 'left', { details: { b: 2 } }),
  'no content': (ctx) => void (ctx.status = 204),
  redirect: (ctx) => {
    ctx.status = 301;
    ctx.redirect('/api/articles');
  },
};

const REFUSED: Readonly<Record<string, (ctx: ProbeContext) => unknown>> = {
  'another status': (ctx) => ((ctx.status = 400), { bad: true }),
  'an error of its own': () => Promise.reject(new OwnNotFoundError('own')),
  'a cookie': (ctx) => (ctx.cookies.set('a', 'b'), (ctx.status = 404), { gone: true }),
  'back to where it came from': ({ response }) =>
    (response as unknown as { redirect(url: string): void }).redirect('back'),
};

const pathOf = (name: string): string => `/probe/${name.replaceAll(' ', '-')}`;

const answering =
  (answer: (ctx: ProbeContext) => unknown): ProbeRoute['handler'] =>
  async (ctx) => {
    const body = await answer(ctx);
    if (body !== undefined) ctx.body = body;
  };

const probe = probeApi([
  ...Object.entries({ ...ANSWERS, ...REFUSED }).map(([name, answer]) => ({
    path: pathOf(name),
    handler: answering(answer),
  })),
  {
    path: '/probe/by-title/:title',
    handler: async (ctx, strapi) => {
      const found = await strapi.db.query('api::tag.tag').findOne({ where: { name: ctx.params.title } });
      if (found === null) throw new errors.NotFoundError();
      return { found: ctx.params.title };
    },
  },
]);

const ARTICLE = 'api::article.article';

export const statuses: Questions = {
  about: 'statuses beside 200',
  files: probe.files,
  contentTypes: [
    { contentType: ARTICLE, routes: probe.paths },
    { contentType: 'api::tag.tag', statuses: [] },
  ],
  ask: (application, lane) => {
    const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
      rawRequest(application, `/api${path}`, { headers, method });

    const TOLD_APART = ['date', 'age', 'x-cache', 'cache-status', 'x-response-time'];

    const answerOf = ({ status, headers, body }: RawResponse): object => ({
      status,
      headers: Object.entries(headers).filter(([name]) => !TOLD_APART.includes(name)),
      body: body.toString(),
    });

    it.each(Object.keys(ANSWERS))('%s is kept, and answered again to the byte', async (name) => {
      const path = pathOf(name);
      const before = probe.calls(path);
      const first = await get(path);
      expect(first.headers['x-cache']).toBe('MISS');
      for (const again of [await get(path), await get(path), await get(path)]) {
        expect(again.headers['x-cache']).toBe('HIT');
        expect(answerOf(again)).toEqual(answerOf(first));
      }
      const { status, body, headers } = await get(path, { 'if-none-match': '*' }, 'HEAD');
      expect([status, body.toString(), headers['x-cache']]).toEqual([first.status, '', 'HIT']);
      expect(probe.calls(path)).toBe(before + 1);
    });

    it('nobody is told that they have it already (RFC 9110, 13.2.1)', async () => {
      const path = pathOf('a body');
      await get(path);
      const asked = { 'if-modified-since': new Date().toUTCString(), 'if-none-match': '"own"' };
      for (const [name, value] of Object.entries(asked)) {
        const { status, headers } = await get(path, { [name]: value });
        expect([status, headers['x-cache']]).toEqual([404, 'HIT']);
      }
    });

    it.each(Object.keys(REFUSED))('%s is not kept', async (name) => {
      const path = pathOf(name);
      const before = probe.calls(path);
      const [first, second] = [await get(path), await get(path)];
      expect([first.headers['x-cache'], second.headers['x-cache']]).toEqual(['MISS', 'MISS']);
      expect(second.headers['cache-control']).toBeUndefined();
      expect(probe.calls(path)).toBe(before + 2);
    });

    it('a redirect goes to its place, and is kept for its own time', async () => {
      const path = pathOf('redirect');
      await get(path);
      const hit = await get(path, { accept: 'text/html' });
      expect([hit.status, hit.headers.location]).toEqual([301, '/api/articles']);
      expect(hit.headers['cache-control']).toBe('public, max-age=1');
      expect((await later(1000, () => get(path))).headers['x-cache']).toBe('MISS');
    });

    it('several that ask at once are given one answer, thrown as it was', async () => {
      const path = '/probe/by-title/at-once';
      const before = probe.calls('/probe/by-title/:title');
      const answers = await Promise.all([get(path), get(path), get(path)]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(probe.calls('/probe/by-title/:title')).toBe(before + 1);
    });

    it('a 404 of a handler ends when what it looked for is created', async () => {
      const name = `new-${lane}`;
      const path = `/probe/by-title/${name}`;
      expect([await get(path), await get(path)].map(({ status }) => status)).toEqual([404, 404]);
      expect((await get(path)).headers['x-cache']).toBe('HIT');
      await application.strapi.documents('api::tag.tag').create({ data: { name } as never });
      expect((await get(path)).status).toBe(200);
    });

    it('a 404 of a core route ends when the document is published, and returns when it is not', async () => {
      const articles = application.strapi.documents(ARTICLE);
      const { documentId } = await articles.create({
        data: { title: `Status ${lane}`, slug: `status-${lane}` } as never,
      });
      const path = `/articles/${documentId}`;
      const states = async (): Promise<unknown[]> => {
        const both = [await get(path), await get(path)];
        return both.map(({ status, headers }) => [status, headers['x-cache']]);
      };
      const missing = [
        [404, 'MISS'],
        [404, 'HIT'],
      ];
      const found = [
        [200, 'MISS'],
        [200, 'HIT'],
      ];
      expect(await states()).toEqual(missing);
      await articles.publish({ documentId });
      expect(await states()).toEqual(found);
      await articles.unpublish({ documentId });
      expect(await states()).toEqual(missing);
      await articles.publish({ documentId });
      expect(await states()).toEqual(found);
      await articles.delete({ documentId });
      expect(await states()).toEqual(missing);
    });

    it('a 404 of an id that nobody has ever had ends with another document only if that has this id', async () => {
      const articles = application.strapi.documents(ARTICLE);
      const path = `/articles/never${lane}`;
      await get(path);
      expect((await get(path)).headers['x-cache']).toBe('HIT');
      const { documentId } = await articles.create({
        data: { title: `Never ${lane}`, slug: `never-${lane}` } as never,
      });
      expect((await get(path)).headers['x-cache']).toBe('HIT');
      await application.strapi.db
        .query(ARTICLE)
        .updateMany({ where: { documentId }, data: { documentId: `never${lane}`, publishedAt: new Date() } });
      expect((await get(path)).status).toBe(200);
    });

    it('a content type that names none keeps 200 alone', async () => {
      await get('/tags/unknown');
      const { headers, status } = await get('/tags/unknown');
      expect([status, headers['x-cache'], headers['cache-status']]).toEqual([
        404,
        'MISS',
        expect.stringContaining('status 404'),
      ]);
    });
  },
};
