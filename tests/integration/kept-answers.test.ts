import { describe } from 'vitest';
import { conditional } from './questions/conditional';
import { handlersWord } from './questions/handlers-word';
import { askTogether } from './questions/questions';
import { statuses } from './questions/statuses';
import { vary } from './questions/vary';

/** What a cache between clients and Strapi has to heed (RFC 9110, RFC 9111), in each lane. */
describe.each(['front', 'route'] as const)('an answer that other caches may keep, in the %s lane', (lane) => {
  askTogether(
    lane,
    {
      enableEtag: true,
      cacheControl: { enabled: true, scope: 'public', maxAge: 1000 },
      statuses: [204, { status: 301, maxAge: 1000 }, 302, 404, 410],
    },
    [vary, statuses, handlersWord, conditional],
  );
});
