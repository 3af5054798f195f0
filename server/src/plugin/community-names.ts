import type { Core, UID } from '@strapi/strapi';
import type { ContentTypeJson, ResolvedContentType } from '../config/resolved-config';

/**
 * A cached content type, with the property names that code written for @strapi-community/plugin-rest-cache 5 reads
 * beside our own.
 */
export const withCommunityNames = <T extends ResolvedContentType | ContentTypeJson>(
  strapi: Core.Strapi,
  contentType: T,
) => {
  const { uid, relatedContentTypes } = contentType;
  const { kind } = strapi.contentType(uid as UID.ContentType);
  return {
    ...contentType,
    contentType: uid,
    singleType: kind === 'singleType',
    plugin: /^plugin::([^.]+)/.exec(uid)?.[1],
    relatedContentTypeUid: relatedContentTypes,
  };
};
