import { expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { strategyToJson } from '../../../server/src/config/resolved-config';
import { application } from './application';

const { strategy } = resolveConfig(
  {
    provider: { options: { password: 'hunter2' } },
    strategy: {
      hitpass: () => true,
      keys: { useAuth: true },
      contentTypes: [
        {
          contentType: 'api::article.article',
          hitpass: false,
          routes: [{ path: '/articles/:id', hitpass: async () => false, paramNames: ['id'] }],
        },
        { contentType: 'api::homepage.homepage', hitpass: true },
      ],
    },
  },
  application(),
);

it('shows a hitpass function as "function", at every level', () => {
  const json = strategyToJson(strategy);
  expect([json.hitpass, typeof strategy.hitpass]).toEqual(['function', 'function']);
  expect(
    json.contentTypes.map(({ hitpass, routes }) => [hitpass, routes.map((route) => [route.path, route.hitpass])]),
  ).toEqual([
    [
      false,
      [
        ['/api/articles', false],
        ['/api/articles/:id', 'function'],
      ],
    ],
    [true, [['/api/homepage', true]]],
  ]);
});

it('loses nothing on the way through JSON', () => {
  const json = strategyToJson(strategy);
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
  expect(Object.keys(json).sort()).toEqual(Object.keys(strategy).sort());
});
