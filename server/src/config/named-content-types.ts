import { said } from '../cache/sentence';
import { defaultRoutesOf, type ApplicationFacts, type RouteFacts } from './application-facts';
import { formatOptionPath, type OptionPath } from './configuration-error';
import type { Findings } from './warning';
import { isNear, nearestName } from './nearest-name';
import { nearRoute } from './route-matching';
import type { ParsedContentType } from './schema';
import { EVERY, NOT } from './user-config';

/** A content type to cache, and where the configuration names it. */
export interface NamedContentType {
  readonly written: ParsedContentType;
  readonly where: OptionPath;
}

/** The content types that the configuration names. */
export interface NamedContentTypes {
  readonly byUid: readonly NamedContentType[];
  /** Content types that only `'*'` stands for: an element for a single type takes precedence. */
  readonly byEvery: readonly NamedContentType[];
}

/** The application's own content types with default routes. Those of plugins have to be named. */
export const everyOwn = (application: ApplicationFacts): readonly string[] =>
  Object.keys(application.contentTypes).filter(
    (uid) => uid.startsWith('api::') && defaultRoutesOf(uid, application).length > 0,
  );

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
const likelyContentType = (written: string, application: ApplicationFacts): string | undefined => {
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

/** Finds out which content types the list stands for. Reports names that are unknown or occur twice. */
export const namedContentTypes = (
  list: readonly ParsedContentType[],
  application: ApplicationFacts,
  findings: Findings,
): NamedContentTypes => {
  const seen = new Map<string, OptionPath>();
  const byUid: NamedContentType[] = [];
  const excluded = new Map<string, OptionPath>();
  let every: OptionPath | undefined;

  const isBare = ({ contentType, ...settings }: ParsedContentType, where: OptionPath): boolean => {
    const [setting] = Object.entries(settings).find(([, each]) => each !== undefined) ?? [];
    if (setting !== undefined)
      findings.refuse(`${formatOptionPath([...where, setting])} does not belong beside "${contentType}"; write what
        holds for all under strategy, and what holds for one content type beside its uid.`);
    return setting === undefined;
  };

  const isFirst = (name: string, where: OptionPath): boolean => {
    const twin = seen.get(name);
    if (twin === undefined) seen.set(name, where);
    else
      findings.refuse(`${formatOptionPath(where)}: "${name}" is named already at ${formatOptionPath(twin)}; keep one of
        them.`);
    return twin === undefined;
  };

  const isKnown = (uid: string, sign: string, where: OptionPath): boolean => {
    if (Object.hasOwn(application.contentTypes, uid)) return true;
    const likely = likelyContentType(uid, application);
    const option = formatOptionPath(where);
    const sentence =
      likely === undefined
        ? said('unknown-content-type')`${option}: "${uid}" is not a content type of this application.`
        : said('misspelt-content-type')`${option}: "${uid}" is not a content type of this application; did you mean
            "${sign + likely}"?`;
    if (application.isBeingDeveloped === true) findings.warn(sentence);
    else findings.refuse(sentence.text);
    return false;
  };

  list.forEach((written, index) => {
    const where = ['strategy', 'contentTypes', index];
    const { contentType: name } = written;
    const isOne = name !== EVERY && !name.startsWith(NOT);
    if (!isOne && !isBare(written, where)) return;
    const sign = name.startsWith(NOT) ? NOT : '';
    const uid = name.slice(sign.length);
    if (name !== EVERY && !isKnown(uid, sign, where)) return;
    if (!isFirst(uid, where)) return;
    if (name === EVERY) every = where;
    else if (isOne) byUid.push({ written, where });
    else excluded.set(uid, where);
  });

  const own = everyOwn(application);
  for (const [uid, where] of excluded)
    if (every === undefined || !own.includes(uid))
      findings.warn(said('excluded-in-vain')`${formatOptionPath(where)}: "${NOT + uid}" has no effect: there is no
        "${EVERY}" beside it that stands for it.`);
  if (every !== undefined && own.length === 0)
    findings.warn(said('every-found-none')`${formatOptionPath(every)}: "${EVERY}" found no content type with a route
      that could be cached.`);

  const byEvery = own.flatMap((uid) =>
    every === undefined || seen.has(uid) ? [] : [{ written: { contentType: uid }, where: every }],
  );
  return { byUid, byEvery };
};
