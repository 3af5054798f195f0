import { named } from '../../../server/src/cache/sentence';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import type { RouteFacts } from '../../../server/src/config/application-facts';
import { laneReport, routeLanes } from '../../../server/src/lanes/lane-of-route';
import type { LaneChoice } from '../../../server/src/stack/stack-survey';
import { aRoute } from '../monitor/route';

const FRONT: LaneChoice = { mode: 'front', reason: 'the effect of every global middleware can be replayed' };

const PATHS = ['/api/notes', '/api/notes/:id', '/api/posts', '/api/pages'];
const routes = PATHS.map((path) =>
  aRoute({ path, contentType: 'api::note.note', hitpass: path === '/api/pages' && (() => false) }),
);
const facts = PATHS.map((path) => ({
  path,
  config: path.startsWith('/api/notes')
    ? {
        policies: [],
        middlewares: [
          { name: 'plugin::rest-cache.begin-middleware', config: {} },
          'global::populate',
          { name: 'plugin::rest-cache.cache', config: {} },
        ],
      }
    : { middlewares: [{ name: 'plugin::rest-cache.cache', config: {} }] },
})) as unknown as RouteFacts[];

describe('the lane of each route', () => {
  it('nobody whose hitpass keeps credentials out is advised to let them in', () => {
    const hitpass = (ctx: Context): boolean => Boolean(ctx.request.headers.authorization ?? ctx.request.headers.cookie);
    const all = [aRoute({ path: '/api/posts', hitpass })];
    expect(routeLanes(all, facts, FRONT, () => true)[0]?.advice?.text).toBe(
      'write hitpass: true, if the function only looks for credentials',
    );
  });

  it('routes that are alike stand together, with what keeps them inside and what could be done', () => {
    expect(
      laneReport(
        'memory',
        FRONT,
        routeLanes(routes, facts, FRONT, () => true),
      ),
    ).toEqual([
      '1 content type on 4 routes cached in memory',
      'hits are answered before Strapi: the effect of every global middleware can be replayed',
      '  1 route: /api/posts',
      'hits of 2 routes are answered on the route: its middleware global::populate has to see every request',
      expect.stringMatching(/^ {2}what could be done: write repeatable: true for the route, if/),
      '  /api/notes, /api/notes/:id',
      'hits of 1 route are answered on the route: its hitpass function has to see every request',
      '  what could be done: replace the hitpass function by true or false',
      '  /api/pages',
    ]);
  });

  it('what could be done is said once, however many functions there are', () => {
    const others = facts.map((fact) => ({
      ...fact,
      config: { middlewares: [`global::of-${fact.path.split('/')[2]}`] },
    }));
    const lanes = routeLanes(routes, others, FRONT, () => true).filter(({ route }) => route.path !== '/api/pages');
    expect(laneReport('memory', FRONT, lanes)).toEqual([
      '1 content type on 3 routes cached in memory',
      'hits of 3 routes are answered on the route: each function named below has to see every request',
      expect.stringMatching(/^ {2}what could be done: write repeatable: true for the route, if/),
      '  its middleware global::of-notes: /api/notes, /api/notes/:id',
      '  its middleware global::of-posts: /api/posts',
    ]);
  });

  it('no lane is told of where nothing is cached', () => {
    expect(laneReport('memory', FRONT, [])).toEqual(['0 content types on 0 routes cached in memory']);
  });

  it('what is in front of all routes is said once', () => {
    const blockedBy = 'a middleware on a router';
    const choice: LaneChoice = {
      mode: 'route',
      reason: `${blockedBy} has to see every request`,
      blockedBy: named(blockedBy),
      advice: named('put it on the routes that need it'),
    };
    expect(
      laneReport(
        'memory',
        choice,
        routeLanes(routes, facts, choice, () => true),
      ),
    ).toEqual([
      '1 content type on 4 routes cached in memory',
      'hits are answered on the route: a middleware on a router has to see every request',
      '  what could be done: put it on the routes that need it',
      '  4 routes: /api/notes, /api/notes/:id, /api/posts, /api/pages',
    ]);
  });
});
