import { describe } from 'vitest';
import { coalescing } from './questions/coalescing';
import { queryAllowList } from './questions/query-allow-list';
import { functionsOfARoute } from './questions/functions-of-a-route';
import { askTogether } from './questions/questions';
import { refusedAtTheEnd } from './questions/refused-at-the-end';
import { repeatable } from './questions/repeatable';
import { replacedMethods } from './questions/replaced-methods';
import { requestBody } from './questions/request-body';
import { requestContext } from './questions/request-context';
import { requestHeaders } from './questions/request-headers';
import { responses } from './questions/responses';
import { sharedWork } from './questions/shared-work';
import { unsafeMethods } from './questions/unsafe-methods';

/** What handlers do, and what is asked of them. In the front lane, the second answer comes from the route lane. */
describe('a handler, in the front lane', () => {
  askTogether('front', {}, [
    responses,
    requestBody,
    requestHeaders,
    replacedMethods,
    unsafeMethods,
    queryAllowList,
    requestContext,
    coalescing,
    refusedAtTheEnd,
    functionsOfARoute,
    sharedWork,
    repeatable,
  ]);
});

describe('a handler, in the route lane', () => {
  askTogether('route', {}, [requestBody, requestHeaders, replacedMethods, unsafeMethods, queryAllowList]);
});
