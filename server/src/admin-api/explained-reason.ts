import { STATUS_CODES } from 'node:http';
import type { Reason } from '../cache/response-cache';
import { named, said, type Sentence } from '../cache/sentence';
import type { Bypass, HitpassCode } from '../http/decision';
import type { AnsweredBefore } from '../lanes/trial-request';

type Described = Pick<Reason, 'detail' | 'about'>;

/** The reason for the verdict. */
export type ExplainedReason =
  | { readonly code: 'stored' }
  /** Older than its maxAge, but it still equals the database (`stale.whileRevalidate`): served while a new one is computed. */
  | { readonly code: 'old' }
  /** `nearest`: the mounted route whose path is most similar. */
  | { readonly code: 'no-route'; readonly nearest: string | null }
  /** `nearest`: the cached route whose path is most similar. */
  | { readonly code: 'route-not-cached'; readonly route: string; readonly nearest: string | null }
  /** The endpoint of @strapi/plugin-graphql. */
  | { readonly code: 'graphql' }
  | { readonly code: 'forbidden' }
  /** Its `Authorization` header holds no valid credential: Strapi answers 401. */
  | { readonly code: 'unauthorized' }
  /** A middleware or policy (`by` says which, in words) answers the request itself, so the cache is not asked. */
  | {
      readonly code: 'answered-before';
      readonly by: Sentence;
      readonly status: number;
      readonly detail: string;
    }
  | ({ readonly code: 'hitpass'; readonly cause: HitpassCode } & Described)
  | ({ readonly code: 'request-cache-control' } & Described)
  /** The latest response under this key was not stored. */
  | ({ readonly code: 'unstorable'; readonly cause: string; readonly at: number } & Described)
  /** Strapi's own controller would throw an error because of the query. */
  | ({ readonly code: 'throws' } & Described)
  /** `gone`: invalidated or evicted, in a store that does not report which. */
  | { readonly code: 'changed' | 'expired' | 'evicted' | 'gone'; readonly at: number }
  | { readonly code: 'never-asked' }
  | { readonly code: 'store-away'; readonly since: number };

/** @param suspects the functions of the route, one of which has answered. */
export const answeredReason = (
  { by, status, message }: AnsweredBefore,
  suspects: readonly string[],
): ExplainedReason => {
  const [first, ...others] = suspects.map(named);
  const who =
    by !== undefined
      ? named(by)
      : first === undefined
        ? said('router-middleware')`a middleware on a router`
        : said('functions')`its ${others.reduce((before, next) => said('or')`${before} or ${next}`, first)}`;
  const detail = message ?? STATUS_CODES[status] ?? String(status);
  return { code: 'answered-before', by: who, status, detail };
};

export const bypassReason = (bypass: Bypass): ExplainedReason =>
  bypass.code === 'request-cache-control'
    ? { code: bypass.code, detail: bypass.directive, about: bypass.about }
    : { code: 'hitpass', cause: bypass.code, detail: bypass.detail, about: bypass.about };
