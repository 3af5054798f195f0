import type { Context } from 'koa';
import type { ReadName } from '../http/request-reads';
import { beginReadsOfStrategies } from '../http/unkeyed-reads';
import type { AuthService } from '../observe/authentication';
import { isCachedRoute } from './attach-lanes';
import { ifPossible, type OnFault } from './undo-answer';

/**
 * Notes what the strategies of authentication read of a request for a cached route: those of others read what they like.
 *
 * @param onRead told each time, so that requests with and without it are told apart wherever they are.
 */
export const watchStrategies = (service: AuthService, onRead: (name: ReadName) => void, onFault: OnFault): void => {
  const { authenticate } = service;
  service.authenticate = async (asked, next) => {
    const ctx = asked as Context;
    let end = (): void => undefined;
    ifPossible(() => {
      if ((ctx.method === 'GET' || ctx.method === 'HEAD') && isCachedRoute(ctx))
        end = beginReadsOfStrategies(ctx, onRead);
    }, onFault);
    try {
      return await authenticate.call(service, ctx, () => {
        ifPossible(end, onFault);
        return next();
      });
    } finally {
      ifPossible(end, onFault);
    }
  };
};
