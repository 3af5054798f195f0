import type { Core } from '@strapi/strapi';
import type { ApplicationFacts } from '../../server/src/config/application-facts';
import { shownContentTypes } from '../../server/src/config/related-content-types';
import type { CachedUrl } from './urls';

/**
 * How many entries whole-family purging would remove: those of every type written, and of every type related to one of
 * them. This assumes that it sees each write. Caches that listen to the document service miss many.
 */
export const wholeFamily = (
  strapi: Core.Strapi,
): ((types: readonly string[], held: readonly CachedUrl[]) => number) => {
  const facts = { contentTypes: strapi.contentTypes, components: strapi.components } as unknown as ApplicationFacts;
  const related = new Map(Object.keys(strapi.contentTypes).map((uid) => [uid, shownContentTypes(uid, facts)]));
  return (types, held) =>
    held.filter(({ family }) =>
      types.some(
        (type) => type === family || related.get(type)?.includes(family) || related.get(family)?.includes(type),
      ),
    ).length;
};
