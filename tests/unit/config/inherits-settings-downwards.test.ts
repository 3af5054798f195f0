import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

/** What the content type, a route that it injects and a route that it lists have, where each level writes this. */
const resolve = (strategy: object, type: object, route: object): ReadonlyArray<object | undefined> => {
  const listed = {
    contentType: 'api::article.article',
    ...type,
    routes: [{ path: '/api/articles/featured', ...route }],
  };
  const [contentType] = resolveConfig({ strategy: { ...strategy, contentTypes: [listed] } }, application()).strategy
    .contentTypes;
  const at = (path: string) => contentType?.routes.find((each) => each.path === path);
  return [contentType, at('/api/articles'), at('/api/articles/featured')];
};

const ONE_HOUR = 3_600_000;
const [onStrategy, onType, onRoute] = [() => true, () => true, () => true];
const BUILT_IN = { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false };
const OWN = { useQueryParams: ['page'], useHeaders: ['accept'], ignoreHeaders: ['dnt'], useAuth: true };
const TENANT = { ...BUILT_IN, useHeaders: ['x-tenant'] };
const PER_CALLER = { ...BUILT_IN, useAuth: true };
const [GONE, MOVED] = [[{ status: 404 }], [{ status: 301 }]];

it.each<[setting: string, from: string, written: unknown[], resolved: unknown[]]>([
  ['maxAge', 'the default', [], [ONE_HOUR, ONE_HOUR, ONE_HOUR]],
  ['maxAge', 'the strategy', [1], [1, 1, 1]],
  ['maxAge', 'the content type', [1, 2], [2, 2, 2]],
  ['maxAge', 'the route', [1, 2, 3], [2, 2, 3]],
  ['hitpass', 'the default', [], [true, true, true]],
  ['hitpass', 'the strategy', [onStrategy], [onStrategy, onStrategy, onStrategy]],
  ['hitpass', 'the content type', [onStrategy, onType], [onType, onType, onType]],
  ['hitpass', 'the route', [onStrategy, onType, onRoute], [onType, onType, onRoute]],
  ['hitpass', 'the content type, even where it is false', [onStrategy, false], [false, false, false]],
  ['repeatable', 'the default', [], [false, false, false]],
  ['repeatable', 'the strategy', [true], [true, true, true]],
  ['repeatable', 'the content type', [true, false], [false, false, false]],
  ['repeatable', 'the route', [undefined, false, true], [false, false, true]],
  ['sharesWork', 'the default', [], [true, true, true]],
  ['sharesWork', 'the strategy', [false], [false, false, false]],
  ['sharesWork', 'the content type', [false, true], [true, true, true]],
  ['sharesWork', 'the route', [undefined, true, false], [true, true, false]],
  ['sharesWork', 'the strategy, for all that is hidden', ['always'], ['always', 'always', 'always']],
  ['statuses', 'the default', [], [[], [], []]],
  ['statuses', 'the strategy', [[404]], [GONE, GONE, GONE]],
  ['statuses', 'the content type, as a whole', [[404], [301]], [MOVED, MOVED, MOVED]],
  ['statuses', 'the route', [[404], undefined, []], [GONE, GONE, []]],
  ['keys', 'the default', [], [BUILT_IN, BUILT_IN, BUILT_IN]],
  ['keys', 'the strategy', [OWN], [OWN, OWN, OWN]],
  ['keys', 'the content type, as a whole', [OWN, { useHeaders: ['x-tenant'] }], [TENANT, TENANT, TENANT]],
  ['keys', 'the content type, even where it is empty', [OWN, {}], [BUILT_IN, BUILT_IN, BUILT_IN]],
  [
    'keys',
    'the route, as a whole',
    [OWN, { useAuth: true }, { useQueryParams: false }],
    [PER_CALLER, PER_CALLER, { ...BUILT_IN, useQueryParams: false }],
  ],
])('%s comes from %s', (setting, _from, [strategy, type, route], resolved) => {
  const found = resolve({ [setting]: strategy }, { [setting]: type }, { [setting]: route });
  expect(found.map((level) => Reflect.get(level ?? {}, setting) as unknown)).toEqual(resolved);
});

it('a setting comes from the strategy, whatever else is written further down', () => {
  for (const level of resolve({ repeatable: true }, { hitpass: false }, { keys: {} }))
    expect(level).toMatchObject({ repeatable: true });
});
