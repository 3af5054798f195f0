import { errors } from '@strapi/utils';
import Koa, { type Context } from 'koa';
import { expect, it } from 'vitest';
import { thrownAnswer } from '../../../server/src/http/thrown-answer';

const ctx = new Koa().context as Context;
const circular: Record<string, unknown> = {};
circular.self = circular;

it('an error whose details are JSON is made again', () => {
  expect(thrownAnswer(ctx, new errors.NotFoundError('none', { slug: 'a' }))).toMatchObject({ status: 404 });
});

it.each([{ count: 1n }, circular])('an error whose details JSON cannot hold is no answer to store', (details) => {
  expect(thrownAnswer(ctx, new errors.NotFoundError('none', details))).toBeUndefined();
});
