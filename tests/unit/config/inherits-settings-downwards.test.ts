import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

const onStrategy = () => true;
const onType = () => true;
const onRoute = () => true;

const resolve = (strategy: object, type: object, route: object) => {
  const [contentType] = resolveConfig(
    {
      strategy: {
        ...strategy,
        contentTypes: [
          { contentType: 'api::article.article', ...type, routes: [{ path: '/api/articles/featured', ...route }] },
        ],
      },
    },
    application(),
  ).strategy.contentTypes;
  const featured = contentType?.routes.find(({ path }) => path === '/api/articles/featured');
  const injected = contentType?.routes.find(({ path }) => path === '/api/articles');
  if (contentType === undefined || featured === undefined || injected === undefined) throw new Error('not resolved');
  return { contentType, featured, injected };
};

it.each([
  ['the default', {}, {}, {}, [3600000, 3600000, 3600000]],
  ['the strategy', { maxAge: 1 }, {}, {}, [1, 1, 1]],
  ['the content type', { maxAge: 1 }, { maxAge: 2 }, {}, [2, 2, 2]],
  ['the route', { maxAge: 1 }, { maxAge: 2 }, { maxAge: 3 }, [2, 2, 3]],
])('maxAge comes from %s', (_level, strategy, type, route, expected) => {
  const { contentType, injected, featured } = resolve(strategy, type, route);
  expect([contentType.maxAge, injected.maxAge, featured.maxAge]).toEqual(expected);
});

it.each([
  ['the default', {}, {}, {}, [true, true, true]],
  ['the strategy', { hitpass: onStrategy }, {}, {}, [onStrategy, onStrategy, onStrategy]],
  ['the content type', { hitpass: onStrategy }, { hitpass: onType }, {}, [onType, onType, onType]],
  ['the route', { hitpass: onStrategy }, { hitpass: onType }, { hitpass: onRoute }, [onType, onType, onRoute]],
  ['the content type, even where it is false', { hitpass: onStrategy }, { hitpass: false }, {}, [false, false, false]],
])('hitpass comes from %s', (_level, strategy, type, route, expected) => {
  const { contentType, injected, featured } = resolve(strategy, type, route);
  expect([contentType.hitpass, injected.hitpass, featured.hitpass]).toEqual(expected);
});

it.each([
  ['the default', {}, {}, {}, [false, false, false]],
  ['the strategy', { repeatable: true }, {}, {}, [true, true, true]],
  ['the content type', { repeatable: true }, { repeatable: false }, {}, [false, false, false]],
  ['the route', {}, { repeatable: false }, { repeatable: true }, [false, false, true]],
  [
    'the strategy, whatever else is written',
    { repeatable: true },
    { hitpass: false },
    { keys: {} },
    [true, true, true],
  ],
])('repeatable comes from %s', (_level, strategy, type, route, expected) => {
  const { contentType, injected, featured } = resolve(strategy, type, route);
  expect([contentType.repeatable, injected.repeatable, featured.repeatable]).toEqual(expected);
});

it.each([
  ['the default', {}, {}, {}, [true, true, true]],
  ['the strategy', { sharesWork: false }, {}, {}, [false, false, false]],
  ['the content type', { sharesWork: false }, { sharesWork: true }, {}, [true, true, true]],
  ['the route', {}, { sharesWork: true }, { sharesWork: false }, [true, true, false]],
  ['the strategy, for all that is hidden', { sharesWork: 'always' }, {}, {}, ['always', 'always', 'always']],
])('sharesWork comes from %s', (_level, strategy, type, route, expected) => {
  const { contentType, injected, featured } = resolve(strategy, type, route);
  expect([contentType.sharesWork, injected.sharesWork, featured.sharesWork]).toEqual(expected);
});

it.each([
  ['the default', {}, {}, {}, [[], [], []]],
  ['the strategy', { statuses: [404] }, {}, {}, [[404], [404], [404]]],
  ['the content type, as a whole', { statuses: [404] }, { statuses: [301] }, {}, [[301], [301], [301]]],
  ['the route', { statuses: [404] }, {}, { statuses: [] }, [[404], [404], []]],
])('statuses come from %s', (_level, strategy, type, route, expected) => {
  const { contentType, injected, featured } = resolve(strategy, type, route);
  const numbers = [contentType, injected, featured].map(({ statuses }) => statuses.map(({ status }) => status));
  expect(numbers).toEqual(expected);
});

const builtIn = { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false };
const strategyKeys = { useQueryParams: ['page'], useHeaders: ['accept'], ignoreHeaders: ['dnt'], useAuth: true };

it.each([
  ['the default', {}, {}, {}, [builtIn, builtIn, builtIn]],
  ['the strategy', { keys: strategyKeys }, {}, {}, [strategyKeys, strategyKeys, strategyKeys]],
  [
    'the content type, as a whole',
    { keys: strategyKeys },
    { keys: { useHeaders: ['x-tenant'] } },
    {},
    Array.from({ length: 3 }, () => ({ ...builtIn, useHeaders: ['x-tenant'] })),
  ],
  ['the content type, even where it is empty', { keys: strategyKeys }, { keys: {} }, {}, [builtIn, builtIn, builtIn]],
  [
    'the route, as a whole',
    { keys: strategyKeys },
    { keys: { useAuth: true } },
    { keys: { useQueryParams: false } },
    [
      { ...builtIn, useAuth: true },
      { ...builtIn, useAuth: true },
      { ...builtIn, useQueryParams: false },
    ],
  ],
])('keys come from %s', (_level, strategy, type, route, expected) => {
  const { contentType, injected, featured } = resolve(strategy, type, route);
  expect([contentType.keys, injected.keys, featured.keys]).toEqual(expected);
});
