import type { Core } from '@strapi/strapi';
import { actionOf, type RouteFacts } from '../config/application-facts';
import { letsCredentialsIn } from '../config/hitpass';
import type { ResolvedRoute } from '../config/resolved-config';
import { mayShareWork } from '../handlers/shared-work';
import type { LaneChoice, LaneMode } from '../stack/stack-survey';
import { functionsOf } from './attach-lanes';
import { said, type Sentence } from '../cache/sentence';

/** Where a cached route's hits are answered, and why not further out. */
export interface LaneOfRoute {
  readonly route: ResolvedRoute;
  readonly lane: LaneMode;
  /** The name of what has to see every request; `undefined` if nothing has to. */
  readonly blockedBy: Sentence | undefined;
  readonly advice: Sentence | undefined;
  /** Whether nothing on the route itself has to see every request. */
  readonly isRepeatable: boolean;
}

const REPEATABLE = said('repeatable')`write repeatable: true for the route, if that depends on nothing but the request
  line, the keyed headers and the caller`;

const HITPASS_FUNCTION = said('its-hitpass')`its hitpass function`;

const NO_FUNCTION = said('no-function')`replace the hitpass function by true or false`;

const THE_DEFAULT = said('hitpass-default')`write hitpass: true, if the function only looks for credentials`;

const TAKEN_BACK = said(
  'taken-back',
)`write repeatable: false for the route: it is not treated as repeatable until the next
  start, and the log says why`;

/** How the log and `check` call the lanes. */
export const PLACES: Readonly<Record<LaneMode, string>> = { front: 'before Strapi', route: 'on the route' };

/**
 * The lane of each cached route. The boot log, the panel and Explain all take it from here.
 *
 * @param holds whether the functions of the route at a path are still treated as repeatable.
 */
export const routeLanes = (
  cached: readonly ResolvedRoute[],
  routes: readonly RouteFacts[],
  choice: LaneChoice,
  holds: (path: string) => boolean,
): LaneOfRoute[] =>
  cached.map((route) => {
    const own = onRoute(route, routes, holds);
    const { blockedBy, advice } = choice.mode === 'front' && own !== undefined ? own : choice;
    const isRepeatable = own === undefined;
    return { route, lane: isRepeatable ? choice.mode : 'route', blockedBy, advice, isRepeatable };
  });

const onRoute = (
  route: ResolvedRoute,
  routes: readonly RouteFacts[],
  holds: (path: string) => boolean,
): Pick<LaneOfRoute, 'blockedBy' | 'advice'> | undefined => {
  if (typeof route.hitpass === 'function' || route.alsoHitpass !== undefined)
    return { blockedBy: HITPASS_FUNCTION, advice: letsCredentialsIn(route.hitpass) ? NO_FUNCTION : THE_DEFAULT };
  if (route.repeatable && holds(route.path)) return undefined;
  const { policies, middlewares } = functionsOf(route.path, routes);
  const functions = [...policies, ...middlewares];
  if (functions.length === 0) return undefined;
  return { blockedBy: said('functions')`its ${functions}`, advice: route.repeatable ? TAKEN_BACK : REPEATABLE };
};

const MAX_LISTED = 10;

const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED).join(', ') + (names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '');

const counted = (count: number, singular: string): string => `${count} ${singular}${count === 1 ? '' : 's'}`;

/** The lines of the boot log. Routes whose hits stay on the route are grouped by what could be done about it. */
export const laneReport = (store: string, choice: LaneChoice, lanes: readonly LaneOfRoute[]): string[] => {
  const types = new Set(lanes.map(({ route }) => route.contentType));
  const cached = `${counted(types.size, 'content type')} on ${counted(lanes.length, 'route')} cached in ${store}`;
  if (lanes.length === 0) return [cached];
  const others = lanes.filter(({ blockedBy }) => blockedBy === choice.blockedBy);
  const own = lanes.filter((lane) => !others.includes(lane));
  const ofOthers = [
    `hits are answered ${PLACES[choice.mode]}: ${choice.reason}`,
    ...(choice.advice === undefined ? [] : [`  what could be done: ${choice.advice.text}`]),
    `  ${counted(others.length, 'route')}: ${listed(pathsOrTypes(others))}`,
  ];
  return [cached, ...(others.length === 0 ? [] : ofOthers), ...groupsBy('advice', own).flatMap(ownLines)];
};

/** Lines of the boot log: the routes whose responses also depend on what other requests read meanwhile. */
export const sharedWorkReport = (
  strapi: Core.Strapi,
  lanes: readonly LaneOfRoute[],
  routes: readonly RouteFacts[],
): string[] => {
  const sharing = lanes
    .filter(({ route }) => route.sharesWork === true)
    .map(({ route }) => routes.find(({ path }) => path === route.path))
    .filter((route) => route !== undefined && mayShareWork(strapi, actionOf(route)))
    .map((route) => route?.path ?? '');
  if (sharing.length === 0) return [];
  return [
    `what other requests read meanwhile counts as well for ${listed(sharing)}: these handlers may wait for work that ` +
      'others have begun',
    '  what could be done: write sharesWork: false for those that wait for no promise, queue or batch of others',
  ];
};

/** The lines for routes about which the same could be done. */
const ownLines = (lanes: readonly LaneOfRoute[]): string[] => {
  const groups = groupsBy('blockedBy', lanes);
  const paths = (group: readonly LaneOfRoute[]): string => listed(group.map(({ route }) => route.path));
  const isOne = groups.length === 1;
  return [
    `hits of ${counted(lanes.length, 'route')} are answered on the route: ${isOne ? lanes[0]?.blockedBy?.text : 'each function named below'} has to see every request`,
    `  what could be done: ${lanes[0]?.advice?.text}`,
    ...groups.map((group) => (isOne ? `  ${paths(group)}` : `  ${group[0]?.blockedBy?.text}: ${paths(group)}`)),
  ];
};

const groupsBy = (name: 'blockedBy' | 'advice', lanes: readonly LaneOfRoute[]): LaneOfRoute[][] => {
  const groups = new Map<string | undefined, LaneOfRoute[]>();
  for (const lane of lanes) groups.set(lane[name]?.text, [...(groups.get(lane[name]?.text) ?? []), lane]);
  return [...groups.values()];
};

/** The paths of routes, or their content types if there are many routes. */
const pathsOrTypes = (lanes: readonly LaneOfRoute[]): string[] =>
  lanes.length <= MAX_LISTED
    ? lanes.map(({ route }) => route.path)
    : [...new Set(lanes.map(({ route }) => route.contentType))];
