import { expect, it } from 'vitest';
import { isDebugged } from '../../../server/src/monitor/diagnostics';

it.each([
  ['strapi:plugin-rest-cache', true],
  ['koa, strapi:plugin-rest-cache', true],
  ['strapi:*', true],
  ['*', true],
  ['koa*', false],
  ['strapi', false],
  ['', false],
  [undefined, false],
])('DEBUG=%j asks for the lines of strategy.debug: %s', (list, expected) => {
  expect(isDebugged(list)).toBe(expected);
});
