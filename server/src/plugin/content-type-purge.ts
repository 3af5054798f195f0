import { contentTypeTag, paramsTag } from '../cache/bookkeeping-tags';
import type { Tag } from '../cache/tag';
import type { PurgeSubject } from '../monitor/activity';

/** Route parameters that narrow a purge; compared as text. */
export type RouteParams = Readonly<Record<string, string | number>>;

const isNarrowed = (params: RouteParams | undefined): params is RouteParams =>
  params !== undefined && Object.keys(params).length > 0;

export const purgeTags = (uid: string, params: RouteParams | undefined): Tag[] => [
  isNarrowed(params) ? paramsTag(uid, params) : contentTypeTag(uid),
];

export const contentTypeSubject = (uid: string, params: RouteParams | undefined): PurgeSubject => ({
  kind: 'content-type',
  uid,
  ...(isNarrowed(params) ? { params } : {}),
});
