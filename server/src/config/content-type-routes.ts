import { said } from '../cache/sentence';
import { defaultRoutesOf, type ApplicationFacts, type RouteFacts } from './application-facts';
import { formatOptionPath, type OptionPath } from './configuration-error';
import type { Findings } from './warning';
import { likelyName } from './nearest-name';
import type { ResolvedRoute, Settings } from './resolved-config';
import { findRoute, nearRoute, parsePathPattern, routeAt } from './route-matching';
import type { ParsedContentType, ParsedRoute } from './schema';
import { resolveSettings, writesUseAuth } from './settings';
import { warnOfSharedEntries, warnOfUselessUseAuth } from './warnings';

/**
 * Finds a content type's routes: its core routes, unless `injectDefaultRoutes` is `false`, and the routes that the user
 * lists. A listed route replaces a core route at the same path.
 */
export const resolveContentTypeRoutes = (
  contentType: ParsedContentType,
  settings: Settings,
  application: ApplicationFacts,
  where: OptionPath,
  findings: Findings,
): readonly ResolvedRoute[] => {
  const uid = contentType.contentType;
  /** By the shape of their path: two routes with the same shape are one. */
  const routes = new Map<string, ResolvedRoute>();

  const place = ({ path, config }: RouteFacts, own: Settings, names?: readonly string[]): void => {
    const { shape, parameters } = parsePathPattern(path);
    routes.set(shape, {
      contentType: uid,
      method: 'GET',
      path,
      ...own,
      paramNames: names ?? parameters,
      isOpen: config.auth === false,
    });
  };

  const placeWritten = (written: ParsedRoute, at: OptionPath, placedAt: Map<string, OptionPath>): void => {
    const here = formatOptionPath(at);
    const { method = 'GET' } = written;
    if (method !== 'GET') {
      findings.warn(said('method-not-cached')`${here} has no effect: only GET is cached. What ${method} ${written.path}
        writes invalidates without being listed.`);
      return;
    }
    const route = findRoute(application, written.path);
    if (route === undefined) {
      const paths = application.routes.map(({ path }) => path);
      const nearest = nearRoute(written.path, application.routes) ?? likelyName(written.path, paths);
      if (nearest === undefined)
        findings.warn(said('unknown-route')`${here}: no route of the content API matches GET ${written.path}, so nothing
          is cached for it.`);
      else
        findings.warn(said('misspelt-route')`${here}: no route of the content API matches GET ${written.path}, so
          nothing is cached for it; the nearest route is GET ${nearest}.`);
      return;
    }

    const { shape, parameters } = parsePathPattern(route.path);
    const twin = placedAt.get(shape);
    if (twin !== undefined) {
      findings.refuse(`${here} and ${formatOptionPath(twin)} are the same route, GET ${route.path}; keep one of them.`);
      return;
    }
    placedAt.set(shape, at);

    const subject = `GET ${route.path} ("${uid}")`;
    const own = resolveSettings(findings, subject, at, settings, written);
    const { paramNames = [] } = written;
    const isNamed = paramNames.length === parameters.length;
    if (!isNamed && paramNames.length > 0)
      findings.warn(said('parameter-names')`${formatOptionPath([...at, 'paramNames'])} has no effect: it names
        ${paramNames.length} parameters, GET ${route.path} has ${parameters.length}.`);
    place(route, own, isNamed ? paramNames : undefined);

    if (written.keys !== undefined || written.hitpass !== undefined) warnOfSharedEntries(findings, subject, own);
    if (writesUseAuth(written)) warnOfUselessUseAuth(findings, subject, own);
  };

  if (contentType.injectDefaultRoutes !== false)
    // If several routes are mounted at a path, the first one answers.
    for (const route of defaultRoutesOf(uid, application)) place(routeAt(application, route.path) ?? route, settings);
  const placedAt = new Map<string, OptionPath>();
  contentType.routes?.forEach((written, index) => placeWritten(written, [...where, 'routes', index], placedAt));

  return [...routes.values()];
};
