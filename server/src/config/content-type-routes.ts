import { defaultRoutesOf, type ApplicationFacts } from './application-facts';
import { formatOptionPath, type OptionPath } from './configuration-error';
import type { Findings } from './findings';
import type { ResolvedRoute, Settings } from './resolved-config';
import { findRoute, nearestPath, parsePathPattern, routeAt } from './route-matching';
import type { ParsedContentType, ParsedRoute } from './schema';
import { inheritSettings, losesUseAuth } from './settings';
import {
  warnOfCredentialsInKeys,
  warnOfEndedHitpass,
  warnOfSharedEntries,
  warnOfShortLifetimes,
  warnOfUselessUseAuth,
} from './warnings';

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

  const place = (path: string, own: Settings, paramNames?: readonly string[]): void => {
    // If several routes are mounted at a path, the first one answers.
    const mounted = routeAt(application, path);
    routes.set(parsePathPattern(path).shape, {
      contentType: uid,
      method: 'GET',
      path: mounted?.path ?? path,
      ...own,
      paramNames,
      isOpen: mounted?.config.auth === false,
    });
  };

  const placeWritten = (written: ParsedRoute, at: OptionPath, placedAt: Map<string, OptionPath>): void => {
    const here = formatOptionPath(at);
    const { method = 'GET' } = written;
    if (method !== 'GET') {
      findings.warn(
        'method-not-cached',
        `${here} has no effect: only GET is cached. What ${method} ${written.path} writes invalidates without being listed.`,
      );
      return;
    }
    const route = findRoute(application, written.path);
    if (route === undefined) {
      const nearest = nearestPath(application, written.path);
      findings.warn(
        'unknown-route',
        `${here}: no route of the content API matches GET ${written.path}, so nothing is cached for it` +
          (nearest === undefined ? '.' : `; the nearest route is GET ${nearest}.`),
      );
      return;
    }

    const { shape, parameters } = parsePathPattern(route.path);
    const twin = placedAt.get(shape);
    if (twin !== undefined) {
      findings.problem(at, ` and ${formatOptionPath(twin)} are the same route, GET ${route.path}; keep one of them.`);
      return;
    }
    placedAt.set(shape, at);

    const own = inheritSettings(settings, written);
    const { paramNames = [] } = written;
    const isNamed = paramNames.length === parameters.length;
    if (!isNamed && paramNames.length > 0) {
      findings.warn(
        'parameter-names',
        `${formatOptionPath([...at, 'paramNames'])} has no effect: it names ${paramNames.length} parameters, ` +
          `GET ${route.path} has ${parameters.length}.`,
      );
    }
    place(route.path, own, isNamed && paramNames.length > 0 ? paramNames : undefined);

    if (written.keys !== undefined) warnOfCredentialsInKeys(findings, own, at);
    const subject = `GET ${route.path} ("${uid}")`;
    if (losesUseAuth(settings, written)) warnOfEndedHitpass(findings, subject, settings);
    if (written.keys !== undefined || written.hitpass !== undefined) warnOfSharedEntries(findings, subject, own);
    if (written.keys?.useAuth === true) warnOfUselessUseAuth(findings, subject, own);
    warnOfShortLifetimes(findings, written, at);
  };

  if (contentType.injectDefaultRoutes !== false)
    for (const { path } of defaultRoutesOf(uid, application)) place(path, settings);
  const placedAt = new Map<string, OptionPath>();
  contentType.routes?.forEach((written, index) => placeWritten(written, [...where, 'routes', index], placedAt));

  return [...routes.values()];
};
