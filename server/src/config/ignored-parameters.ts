import type { ApplicationFacts, SchemaFacts } from './application-facts';
import { actionOf, readActions } from './content-type-routes';
import type { ResolvedContentType, ResolvedRoute } from './resolved-config';

/** Parameters of Strapi's own controllers (@strapi/utils, content-api-constants; @strapi/core, core-api). */
const OF_ALL = ['fields', 'filters', 'populate', '_q'];
const OF_LISTS = ['sort', 'pagination'];
/** Lists of plugins' types take their pages without `pagination`. */
const OF_PLUGIN_LISTS = ['sort', 'page', 'pageSize', 'start', 'limit'];
const OF_DRAFTS = ['status', 'publicationFilter', 'hasPublishedVersion'];
const OF_LOCALES = ['locale'];

const obeyedParameters = (uid: string, schema: SchemaFacts | undefined, isList: boolean): readonly string[] => [
  ...OF_ALL,
  ...(isList ? (uid.startsWith('plugin::') ? OF_PLUGIN_LISTS : OF_LISTS) : []),
  ...(schema?.options?.draftAndPublish === true ? OF_DRAFTS : []),
  ...(schema?.pluginOptions?.i18n?.localized === true ? OF_LOCALES : []),
];

/** What a cached route's handler will not get to see although it would act on it; nothing for handlers of others. */
const ignoredParameters = (route: ResolvedRoute, application: ApplicationFacts): readonly string[] => {
  const { contentType, keys } = route;
  const { useQueryParams } = keys;
  if (useQueryParams === true) return [];
  const mounted = application.routes.find(({ path }) => path === route.path);
  const action = mounted === undefined ? undefined : actionOf(mounted);
  if (action === undefined || !readActions(contentType, application).has(action)) return [];
  const schema = application.contentTypes[contentType];
  const isList = action.endsWith('.find') && schema?.kind !== 'singleType';
  const counted = useQueryParams === false ? [] : useQueryParams;
  return obeyedParameters(contentType, schema, isList).filter((name) => !counted.includes(name));
};

/**
 * Core routes whose `useQueryParams` leaves out parameters that Strapi's own controllers obey: these then have no effect.
 * One sentence for all routes that leave out the same.
 */
export const ignoredParameterWarnings = (
  contentTypes: readonly ResolvedContentType[],
  application: ApplicationFacts,
): readonly string[] => {
  const pathsByIgnored = new Map<string, string[]>();
  for (const route of contentTypes.flatMap(({ routes }) => routes)) {
    const ignored = ignoredParameters(route, application).join(', ');
    if (ignored !== '') pathsByIgnored.set(ignored, [...(pathsByIgnored.get(ignored) ?? []), `GET ${route.path}`]);
  }
  return [...pathsByIgnored].map(
    ([ignored, paths]) =>
      `${paths.join(', ')}: keys.useQueryParams leaves out parameters that Strapi's controllers obey (${ignored}), so ` +
      'they have no effect on requests that may be cached. Add those your clients send, or set useQueryParams: true.',
  );
};
