import type { SchemaFacts } from './application-facts';
import { nearRoute } from './near-route';
import { isNear, nearestName, nearUid } from './nearest-name';

/** A content type that may have been meant. */
export interface Candidate {
  readonly uid: string;
  readonly schema: SchemaFacts | undefined;
  /** Path patterns of its routes. */
  readonly paths: readonly string[];
}

/** A name without case and separators: `Blog Post`, `blog-post` and `blog_post` are one name. */
const bare = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

const namesOf = ({ uid, schema }: Candidate): readonly string[] => {
  const { singularName = '', pluralName = '', displayName = '' } = schema?.info ?? {};
  return [lastName(uid), singularName, pluralName, displayName].map(bare).filter((name) => name !== '');
};

/** `article` for `api::article.article` and for `article`. */
const lastName = (uid: string): string => uid.split(/::|\./).at(-1) ?? uid;

/** A URL without its origin, query and fragment. */
const pathOf = (written: string): string => written.replace(/^https?:\/\/[^/]+/i, '').replace(/[?#].*$/s, '');

const byPath = (written: string, candidates: readonly Candidate[]): string | undefined => {
  const near = nearRoute(
    pathOf(written),
    candidates.flatMap(({ paths }) => paths),
  );
  return candidates.find(({ paths }) => near !== undefined && paths.includes(near))?.uid;
};

/** Prefers the application's own types to those of plugins. */
const byName = (name: string, candidates: readonly Candidate[]): string | undefined => {
  const named = candidates.filter((candidate) => namesOf(candidate).includes(name)).map(({ uid }) => uid);
  return named.find((uid) => uid.startsWith('api::')) ?? named[0];
};

const byNearName = (name: string, candidates: readonly Candidate[]): string | undefined => {
  const near = candidates.flatMap(namesOf).filter((other) => isNear(name, other));
  return byName(nearestName(name, near) ?? '', candidates);
};

/**
 * The uid that was probably meant, if any. `written` may be a misspelt uid, the URL of a route (`/api/articles`), or a
 * singular, plural or display name in any case (`articles`, `Article`), which may be misspelt as well.
 */
export const likelyContentType = (written: string, candidates: readonly Candidate[]): string | undefined => {
  const asked = written.trim();
  if (asked.includes('/')) return byPath(asked, candidates);
  const misspelt = nearUid(
    asked,
    candidates.map(({ uid }) => uid),
  );
  const name = bare(lastName(asked));
  return misspelt ?? byName(name, candidates) ?? (asked.includes('::') ? undefined : byNearName(name, candidates));
};
