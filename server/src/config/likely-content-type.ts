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

/** `Blog Post`, `blog-post`, `blog_posts`: people write one name in many ways. */
const bare = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

const namesOf = ({ uid, schema }: Candidate): readonly string[] => {
  const { singularName = '', pluralName = '', displayName = '' } = schema?.info ?? {};
  return [lastName(uid), singularName, pluralName, displayName].map(bare).filter((name) => name !== '');
};

/** Of `api::article.article`, and of `article`, it is `article`. */
const lastName = (uid: string): string => uid.split(/::|\./).at(-1) ?? uid;

/** Of a URL, what a route is found by. */
const pathOf = (written: string): string => written.replace(/^https?:\/\/[^/]+/i, '').replace(/[?#].*$/s, '');

const byPath = (written: string, candidates: readonly Candidate[]): string | undefined => {
  const near = nearRoute(
    pathOf(written),
    candidates.flatMap(({ paths }) => paths),
  );
  return candidates.find(({ paths }) => near !== undefined && paths.includes(near))?.uid;
};

/** An application's own type before a plugin's. */
const byName = (name: string, candidates: readonly Candidate[]): string | undefined => {
  const named = candidates.filter((candidate) => namesOf(candidate).includes(name)).map(({ uid }) => uid);
  return named.find((uid) => uid.startsWith('api::')) ?? named[0];
};

const byNearName = (name: string, candidates: readonly Candidate[]): string | undefined => {
  const near = candidates.flatMap(namesOf).filter((other) => isNear(name, other));
  return byName(nearestName(name, near) ?? '', candidates);
};

/**
 * The uid that somebody probably meant, if any: by a singular, plural or shown name, in any case (`articles`, `Article`) and
 * even misspelt, by the URL of one of its routes (`/api/articles`), or by a uid misspelt.
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
