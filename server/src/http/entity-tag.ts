import { createHash } from 'node:crypto';

/** A strong entity tag over the exact bytes of a representation (RFC 9110, section 8.8.3). */
export const entityTag = (body: Buffer): string =>
  `"${createHash('sha1').update(body).digest('base64url').slice(0, 22)}-${body.byteLength.toString(36)}"`;

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** Tags may hold commas, so the list cannot be split at them. */
const TAG_IN_LIST = /(?:W\/)?"[^"]*"/g;

/**
 * Whether `If-None-Match` names this representation, by weak comparison as section 13.1.2 of RFC 9110 asks for;
 * `*` names any.
 */
export const isNoneMatchHit = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  // What a client holds is most often just this.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(TAG_IN_LIST) ?? []).some((candidate) => opaque(candidate) === opaque(etag));
};
