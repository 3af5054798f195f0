import type { Context } from 'koa';
import { beginReadsOfRoute } from '../http/unkeyed-reads';

/** Put by `register` in front of what a cached route brings of its own. Lets everybody in. */
export default ({ request }: { readonly request: Context['request'] }): true => {
  beginReadsOfRoute(request.ctx);
  return true;
};
