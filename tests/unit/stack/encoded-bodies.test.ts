import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import { EncodedBodies, encodedName, encodedOnce } from '../../../server/src/stack/encoded-bodies';
import { exchangeOf } from '../../../server/src/http/exchange';
import { koaContext } from '../http/koa-context';
import { anEntry } from '../monitor/route';

const entry = (createdAt = 1): Entry => anEntry({ createdAt });

describe('bodies in other codings', () => {
  it('are kept for every copy of the entry, and not for a later one', () => {
    const { bodies } = new EncodedBodies();
    const body = Buffer.from('zipped');
    bodies.set(encodedName(entry(), 'gzip'), body);
    expect(bodies.get(encodedName(entry(), 'gzip'))).toBe(body);
    expect(bodies.get(encodedName(entry(), 'br'))).toBeUndefined();
    expect(bodies.get(encodedName(entry(2), 'gzip'))).toBeUndefined();
  });

  it("follow strapi::compression's choice, per entry and spelling", () => {
    const { choices } = new EncodedBodies();
    choices.set(encodedName(entry(), 'gzip, br'), 'br');
    choices.set(encodedName(entry(), ''), '');
    expect(choices.get(encodedName(entry(), 'gzip, br'))).toBe('br');
    expect(choices.get(encodedName(entry(), ''))).toBe('');
    expect(choices.get(encodedName(entry(), 'gzip'))).toBeUndefined();
    expect(choices.get(encodedName(entry(2), 'gzip, br'))).toBeUndefined();
  });
});

it('a client that leaves while its answer is compressed is no failure', async () => {
  const bodies = new EncodedBodies();
  const ctx = koaContext();
  const kept = entry();
  const compressing = encodedOnce(async (_ctx, next) => {
    await next();
    const stream = new PassThrough();
    ctx.body = stream;
    ctx.set('Content-Encoding', 'gzip');
    // Koa destroys the stream when its client has left.
    setImmediate(() => stream.destroy());
  }, bodies);
  Object.defineProperty(ctx, 'writable', { value: true });
  await compressing(ctx, () => {
    exchangeOf(ctx).entry = kept;
    ctx.status = 200;
    ctx.body = kept.response.body;
    return Promise.resolve();
  });
  expect(bodies.bodies.get(encodedName(kept, 'gzip'))).toBeUndefined();
});
