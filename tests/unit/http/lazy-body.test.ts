import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { describe, expect, it } from 'vitest';
import { serialisedBody } from '../../../server/src/http/stored-response';
import { exchangeOf } from '../../../server/src/http/exchange';
import { LazyBody } from '../../../server/src/http/lazy-body';
import { shownBytes } from '../../../server/src/http/shown-body';
import { koaContext } from './koa-context';

const TEXT = '{"id":1,"list":[1,2],"nested":{"a":null}}';
const BYTES = Buffer.from(TEXT);

/** A context with these bytes as its body, and a counter of how often they were restored. */
const answered = (bytes = BYTES, restore: () => unknown = () => JSON.parse(bytes.toString()) as unknown) => {
  const ctx = koaContext();
  ctx.status = 200;
  ctx.set('Content-Type', 'application/vnd.api+json');
  let restored = 0;
  exchangeOf(ctx).lazyBody = new LazyBody(ctx, { body: bytes, left: 'json' }, () => {
    restored += 1;
    return restore();
  });
  return { ctx, restored: () => restored };
};

const finishBody = (ctx: Context): boolean | undefined => exchangeOf(ctx).lazyBody?.finish();

interface Article {
  id: unknown;
  list: unknown[];
  nested: { a: unknown };
}

const bodyOf = (ctx: Context): Article => ctx.body as Article;

/** Runs one of Strapi's own middlewares around the response. */
const around = async (ctx: Context, handler: Middleware): Promise<void> =>
  void (await shownBytes(handler)(ctx, () => Promise.resolve()));

describe('the length that middlewares of the application see on a hit', () => {
  /** What Koa itself says where the controller has left this body, and a middleware does the same with it. */
  const atTheOrigin = (left: unknown, look: (ctx: Context) => unknown): unknown[] => {
    const ctx = koaContext();
    ctx.body = left;
    look(ctx);
    return lengthsOf(ctx);
  };
  const lengthsOf = (ctx: Context): unknown[] => [
    ctx.length,
    ctx.response.length,
    ctx.response.get('Content-Length'),
    ctx.res.hasHeader('Content-Length'),
  ];

  it.each<[string, (ctx: Context) => unknown]>([
    ['changed nothing', () => undefined],
    ['only looked', (ctx) => bodyOf(ctx).id],
    ['changed it in place', (ctx) => (bodyOf(ctx).id = 'longer than before')],
    ['set another', (ctx) => (ctx.body = { other: true })],
    ['set a text', (ctx) => (ctx.body = 'a text')],
  ])('is that of the body as it is then, where one has %s', (_what, look) => {
    const { ctx } = answered();
    look(ctx);
    expect(lengthsOf(ctx)).toEqual(atTheOrigin(JSON.parse(TEXT), look));
  });

  it.each([
    ['a text', 'tëxt'],
    ['bytes', Buffer.from([1, 2, 255])],
  ])('is that of %s', (_what, left) => {
    const stored = serialisedBody(left);
    const ctx = koaContext();
    if (stored !== undefined) exchangeOf(ctx).lazyBody = new LazyBody(ctx, stored, () => left);
    expect(lengthsOf(ctx)).toEqual(atTheOrigin(left, () => undefined));
  });

  it('is sent with the bytes', () => {
    const { ctx } = answered();
    void bodyOf(ctx).id;
    finishBody(ctx);
    expect(ctx.response.get('Content-Length')).toBe(String(BYTES.byteLength));
  });
});

describe('the body that middlewares of the application see on a hit', () => {
  it('is the route’s own again after one of Strapi’s middlewares has failed', async () => {
    const { ctx } = answered();
    const failing: Middleware = async (_ctx, next) => {
      await next();
      throw new Error('failed');
    };
    await expect(around(ctx, failing)).rejects.toThrow('failed');
    expect(ctx.body).toEqual(JSON.parse(TEXT));
  });

  it.each<[string, (ctx: Context) => unknown]>([
    ['nobody looks', () => undefined],
    ['somebody looks', (ctx) => Object.keys(bodyOf(ctx))],
    ['somebody looks twice', (ctx) => [bodyOf(ctx).id, bodyOf(ctx).nested]],
    ['somebody changes it and changes it back', (ctx) => [bodyOf(ctx).list.push(3), bodyOf(ctx).list.pop()]],
    ['somebody sets what JSON leaves out', (ctx) => (bodyOf(ctx).nested.a = null)],
  ])('is sent as it was stored where %s', (_what, look) => {
    const { ctx } = answered();
    look(ctx);
    expect(exchangeOf(ctx).lazyBody?.isUntouched).toBe(true);
    expect(finishBody(ctx)).toBe(true);
    expect(ctx.body).toBe(BYTES);
    expect(ctx.length).toBe(BYTES.byteLength);
    expect(ctx.response.get('Content-Type')).toBe('application/vnd.api+json');
  });

  it.each<[string, (ctx: Context) => void, unknown]>([
    ['changes a field', (ctx) => void (bodyOf(ctx).id = 2), { id: 2, list: [1, 2], nested: { a: null } }],
    ['changes something deep', (ctx) => void (bodyOf(ctx).nested.a = 1), { id: 1, list: [1, 2], nested: { a: 1 } }],
    ['adds to a list', (ctx) => void bodyOf(ctx).list.push(3), { id: 1, list: [1, 2, 3], nested: { a: null } }],
    ['removes a field', (ctx) => void delete (ctx.body as Partial<Article>).id, { list: [1, 2], nested: { a: null } }],
    ['sets another body', (ctx) => void (ctx.body = { b: 1 }), { b: 1 }],
    [
      'sets a copy of it with more',
      (ctx) => void (ctx.body = { ...bodyOf(ctx), id: 3 }),
      { ...JSON.parse(TEXT), id: 3 },
    ],
  ])('is sent as it has become where somebody %s', (_what, change, expected) => {
    const { ctx } = answered();
    change(ctx);
    expect(exchangeOf(ctx).lazyBody?.isUntouched).toBe(false);
    expect(finishBody(ctx)).toBe(false);
    expect(ctx.body).toEqual(expected);
    expect(ctx.response.get('Content-Length')).toBe('');
  });

  it('is restored once, and not at all for those of Strapi that send it', async () => {
    const { ctx, restored } = answered();
    // koa-static checks whether there is a body.
    await around(ctx, async (_ctx, next) => {
      await next();
      expect(ctx.body).toBe(BYTES);
    });
    expect(restored()).toBe(0);
    expect(bodyOf(ctx)).toBe(ctx.body);
    expect(restored()).toBe(1);
  });

  it('with numbers no double holds is sent with them, whoever looked', () => {
    const raw = Buffer.from('{"id":12345678901234567890,"ratio":1.0}');
    const { ctx } = answered(raw);
    expect(bodyOf(ctx).id).toBe(12345678901234567000);
    expect(finishBody(ctx)).toBe(true);
    expect(ctx.body).toBe(raw);
    const { ctx: changed } = answered(raw);
    bodyOf(changed).nested = { a: 1 };
    expect(finishBody(changed)).toBe(false);
  });

  it('was a text: a text is seen, and changed only by setting another', () => {
    const { ctx } = answered(BYTES, () => TEXT);
    expect(ctx.body).toBe(TEXT);
    expect(finishBody(ctx)).toBe(true);
    const { ctx: other } = answered(BYTES, () => TEXT);
    other.body = `${String(other.body)} and more`;
    expect(finishBody(other)).toBe(false);
    expect(other.body).toBe(`${TEXT} and more`);
  });

  it('was bytes: those that are seen are a copy, which may be written to', () => {
    const { ctx } = answered(BYTES, () => Buffer.from(BYTES));
    (ctx.body as Buffer).write('[');
    expect(finishBody(ctx)).toBe(false);
    expect(String(ctx.body)).toBe(`[${TEXT.slice(1)}`);
    expect(BYTES.toString()).toBe(TEXT);
  });

  it('is still the same where compression has encoded it, but not where somebody replaced that', async () => {
    const compressed = Readable.from(['zip']);
    const compress: Middleware = async (ctx, next) => {
      await next();
      ctx.body = compressed;
    };
    const { ctx } = answered();
    bodyOf(ctx);
    await around(ctx, compress);
    expect(finishBody(ctx)).toBe(true);
    expect(ctx.body).toBe(compressed);
    const { ctx: replaced } = answered();
    await around(replaced, compress);
    replaced.body = { error: true };
    expect(finishBody(replaced)).toBe(false);
  });

  it('is what a middleware has made of it when Strapi compresses', async () => {
    const { ctx } = answered();
    bodyOf(ctx).id = 2;
    await around(ctx, async (_ctx, next) => {
      await next();
      expect(ctx.body).toMatchObject({ id: 2 });
    });
    expect(finishBody(ctx)).toBe(false);
  });
});

describe('a body as Koa sends it', () => {
  it.each<[unknown, string | undefined, 'json' | 'text' | undefined]>([
    ['text', 'text', 'text'],
    ['', '', 'text'],
    [Buffer.from('bytes'), 'bytes', undefined],
    [new Uint8Array([1, 2]), '{"0":1,"1":2}', 'json'],
    [{ a: 1, b: undefined, c: new Date(0) }, '{"a":1,"c":"1970-01-01T00:00:00.000Z"}', 'json'],
    [{ toJSON: () => 'x' }, '"x"', 'json'],
    ['\ud800', '\ufffd', 'text'],
    [['\ud800', Infinity, -0], '["\\ud800",null,0]', 'json'],
    [0, '0', 'json'],
    [false, 'false', 'json'],
    [1n, undefined, undefined],
    [() => 1, undefined, undefined],
    [Symbol('a'), undefined, undefined],
  ])('is serialised to the same text: %s', (body, text, left) => {
    const serialised = serialisedBody(body);
    expect([serialised?.body.toString(), serialised?.left]).toEqual([text, left]);
  });

  it('does not share memory with the handler, who may write to it again', () => {
    const template = Buffer.from('a'.repeat(10_000));
    const serialised = serialisedBody(template);
    template.write('b');
    expect(serialised?.body.toString('latin1', 0, 2)).toBe('aa');
  });

  it('fails to be serialised only where Koa fails', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(serialisedBody(circle)).toBeUndefined();
  });
});
