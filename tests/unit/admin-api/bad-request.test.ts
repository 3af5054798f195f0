import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { expect, it } from 'vitest';
import { badRequest, controller } from '../../../server/src/admin-api/request';
import { named } from '../../../server/src/cache/sentence';
import { setRunning, type RestCache } from '../../../server/src/plugin/rest-cache';
import { koaContext } from '../http/koa-context';

const EXPECTED = named('Expected so');

const strapi = {} as Core.Strapi;
setRunning(strapi, {} as RestCache);
const of = (action: (ctx: Context) => unknown) =>
  controller({ action: (_restCache, ctx) => action(ctx) })({ strapi }).action;

/** No Strapi middleware has to recognise the error, so it does not matter which copy of @strapi/utils they use. */
it.each<[string, () => void | Promise<void>]>([
  [
    'thrown',
    () => {
      throw badRequest(EXPECTED);
    },
  ],
  ['rejected', async () => Promise.reject(badRequest(EXPECTED))],
])('a bad request that is %s is answered with 400 in the form of Strapi', async (_how, action) => {
  const ctx = koaContext('/', {}, 'POST');
  await of(action)(ctx);
  expect(ctx.status).toBe(400);
  expect(ctx.body).toEqual({
    data: null,
    error: { status: 400, name: 'ValidationError', message: 'Expected so', details: { sentence: EXPECTED } },
  });
});

it('leaves every other error to Strapi', async () => {
  const failure = new Error('no database');
  await expect(
    of(() => {
      throw failure;
    })(koaContext()),
  ).rejects.toBe(failure);
});

it('leaves an answer alone', async () => {
  const ctx = koaContext();
  await of((asked) => void (asked.body = { entries: 1 }))(ctx);
  expect(ctx.body).toEqual({ entries: 1 });
});

it('answers with what the action returns', async () => {
  const ctx = koaContext();
  await of(() => Promise.resolve({ entries: 1 }))(ctx);
  expect(ctx.body).toEqual({ entries: 1 });
});
