import { defaultRoutesOf, type ApplicationFacts, type RouteFacts } from './application-facts';
import { isNear, nearestName } from './nearest-name';
import { nearRoute } from './route-matching';

/** A name without case and separators: `Blog Post`, `blog-post` and `blog_post` are one name. */
const bare = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/** `article` for `api::article.article` and for `article`. */
const lastName = (uid: string): string => uid.split(/::|\./).at(-1) ?? uid;

/** A URL without its origin, query and fragment. */
const pathOf = (written: string): string => written.replace(/^https?:\/\/[^/]+/i, '').replace(/[?#].*$/s, '');

/**
 * The uid that was probably meant, if any. `written` may be a misspelt uid, the URL of a route (`/api/articles`), or a
 * singular, plural or display name in any case (`articles`, `Article`), which may be misspelt as well.
 */
export const likelyContentType = (written: string, application: ApplicationFacts): string | undefined => {
  const asked = written.trim();
  const uids = Object.keys(application.contentTypes);
  if (asked.includes('/')) {
    const routesOf = (uid: string): readonly RouteFacts[] => defaultRoutesOf(uid, application);
    const near = nearRoute(pathOf(asked), uids.flatMap(routesOf));
    return uids.find((uid) => routesOf(uid).some(({ path }) => path === near));
  }
  const namesOf = (uid: string): string[] => {
    const { singularName = '', pluralName = '', displayName = '' } = application.contentTypes[uid]?.info ?? {};
    return [lastName(uid), singularName, pluralName, displayName].map(bare).filter((name) => name !== '');
  };
  const name = bare(lastName(asked));
  const nearest = nearestName(
    name,
    uids.flatMap(namesOf).filter((other) => isNear(name, other)),
  );
  const named = uids.filter((uid) => nearest !== undefined && namesOf(uid).includes(nearest));
  if (asked.includes('::')) return nearestName(asked, named);
  return named.find((uid) => uid.startsWith('api::')) ?? named[0];
};
