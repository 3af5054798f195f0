import type { Core, UID } from '@strapi/strapi';
import type { ContentTypeJson, ResolvedContentType } from '../config/resolved-config';
import { parsePathPattern } from '../config/route-matching';

/**
 * A cached content type, with the property names that code written for @strapi-community/plugin-rest-cache 5 reads
 * beside our own.
 */
export const withCommunityNames = <T extends ResolvedContentType | ContentTypeJson>(
  strapi: Core.Strapi,
  contentType: T,
) => {
  const { uid, relatedContentTypes, routes } = contentType;
  const { kind } = strapi.contentType(uid as UID.ContentType);
  return {
    ...contentType,
    contentType: uid,
    singleType: kind === 'singleType',
    plugin: /^plugin::([^.]+)/.exec(uid)?.[1],
    relatedContentTypeUid: relatedContentTypes,
    routes: routes.map((route) => ({ ...route, paramNames: namesOf(route) })),
  };
};

/** The names of a route's parameters, in order. */
export const namesOf = ({
  path,
  paramNames,
}: {
  readonly path: string;
  readonly paramNames: readonly string[] | undefined;
}): readonly string[] => paramNames ?? parsePathPattern(path).parameters;
