import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Core } from '@strapi/strapi';
import { FOREIGN } from './paths';

/** A URL of the application, and what the cache is expected to do with it. */
export interface Url {
  /** The name by which the tables in this file refer to the URL. */
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON of a POST. Without it, the URL is asked by GET. */
  readonly body?: string;
  /** The route ignores credentials, so two callers stand for all. */
  readonly isForAll?: true;
  /**
   * Each request of this URL invalidates many entries. It is sent only now and then, or there would be no hits
   * elsewhere.
   */
  readonly isEmptying?: true;
  /**
   * `cached`: for every caller. `public`: only without credentials. `perhaps`: either is right. Otherwise it is never
   * cached, for the given reason.
   */
  readonly expected: 'cached' | 'public' | 'perhaps' | { readonly never: string };
  /** Where users of a role share answers: whether they share those of this URL. `sometimes`: either is right. */
  readonly ofRole?: 'shared' | 'own' | 'sometimes';
}

const never = (reason: string): Url['expected'] => ({ never: reason });

const unkeyed = never('the handler reads a header that is not in the key');
const notATable = never('it reads something that is no plain table');

/** The reads of the board that are not cached, on which clients, and why. All others are cached. */
const uncached: Readonly<
  Record<string, { readonly on?: readonly string[]; readonly why: Url['expected']; readonly isEmptying?: true }>
> = {
  'late-cookie': { why: never('it sets a cookie') },
  'early-cookie': { why: never('it sets a cookie') },
  'reads-house-header': { why: unkeyed },
  'reads-language': { why: unkeyed },
  'reads-key': { why: unkeyed },
  'reads-raw': { why: unkeyed },
  'reads-host': { why: unkeyed },
  'reads-ip': { why: unkeyed },
  created: { why: never('its status is not 200') },
  variable: { on: ['mysql'], why: never('it reads a variable of the connection'), isEmptying: true },
  'function-bump': { on: ['postgres', 'mysql'], why: never('it writes'), isEmptying: true },
  'function-count': { on: ['postgres', 'mysql'], why: never('it calls a function that may read what nobody sees') },
  'function-peek': { on: ['postgres', 'mysql'], why: never('it calls a function that may read what nobody sees') },
  // Its worker reads outside of every request.
  'queue-document': { why: 'perhaps' },
  'open-events': { why: notATable },
  'open-elsewhere': { why: notATable },
  'measures-old': { why: notATable },
  everybody: { why: notATable },
  words: { on: ['sqlite'], why: notATable },
  measures: { on: ['postgres'], why: notATable },
  'measures-range': { on: ['postgres'], why: notATable },
  people: { on: ['postgres'], why: notATable },
  staff: { on: ['postgres'], why: notATable },
  totals: { why: notATable },
  'stream-view': { why: notATable },
};

const board = (client: string): Url[] => {
  const directory = path.join(FOREIGN, 'src/api/board/reads');
  const require = createRequire(import.meta.url);
  return readdirSync(directory)
    .flatMap((file) => Object.keys(require(path.join(directory, file)) as object))
    .map((name) => {
      const exception = uncached[name];
      const applies = exception !== undefined && (exception.on === undefined || exception.on.includes(client));
      const emptying = applies && exception.isEmptying === true ? { isEmptying: true as const } : {};
      return {
        name,
        path: `/api/board/${name}`,
        isForAll: true,
        ...emptying,
        expected: applies ? exception.why : 'cached',
      };
    });
};

const cached = (name: string, ...paths: string[]): Url[] =>
  paths.map((each) => ({ name, path: each, expected: 'cached' }));

const ofRole = (sharing: Url['ofRole'], ...paths: string[]): Url[] =>
  paths.map((each) => ({ name: each, path: each, expected: 'cached', ofRole: sharing }));

/** URLs whose answers depend on the user or their role, where users of a role share. */
export const urlsByRole = async (strapi: Core.Strapi): Promise<readonly Url[]> => [
  ...ofRole(
    'shared',
    '/api/events?populate=*&pagination[pageSize]=3&sort=title',
    `/api/events/${await firstDocument(strapi, 'api::event.event')}?populate=hall`,
    '/api/halls?populate=*',
    '/api/desk/entries?sort=label',
    ...['role', 'rights', 'verified', 'programme'].map(patrons),
  ),
  ...ofRole(
    'own',
    '/api/card',
    '/api/tickets',
    '/api/users/me/badge',
    ...['greeted', 'whole', 'credentials', 'tickets', 'left'].map(patrons),
  ),
  ...ofRole('sometimes', patrons('flagged')),
];

const patrons = (name: string): string => `/api/patrons/${name}`;

const firstDocument = async (strapi: Core.Strapi, uid: string): Promise<string> =>
  ((await strapi.db.query(uid).findOne({ orderBy: { id: 'asc' } })) as { documentId: string }).documentId;

/** Every URL of the application, each with what the cache is expected to do. */
export const urlsOf = async (strapi: Core.Strapi, globals: boolean): Promise<readonly Url[]> => {
  const [event, house, hall, act] = [
    await firstDocument(strapi, 'api::event.event'),
    await firstDocument(strapi, 'api::house.house'),
    await firstDocument(strapi, 'api::hall.hall'),
    await firstDocument(strapi, 'api::act.act'),
  ];
  const ofCaller = (value: string): Readonly<Record<string, string>> => ({ 'x-house': value });
  return [
    ...board(strapi.db.dialect.client),
    ...['south', 'nowhere'].flatMap((slug): Url[] => [
      { name: 'keyed-house', path: '/api/board/keyed-house', headers: ofCaller(slug), expected: 'cached' },
      { name: 'house-of-caller', path: '/api/house-of-caller', headers: ofCaller(slug), expected: 'cached' },
      { name: 'reads-house-header', path: '/api/board/reads-house-header', headers: ofCaller(slug), expected: unkeyed },
      { name: 'house-unkeyed', path: '/api/house-unkeyed', headers: ofCaller(slug), expected: unkeyed },
    ]),
    // Each value makes a variant of its own.
    { name: 'vary', path: '/api/board/vary', headers: { 'x-anything': 'one' }, expected: 'cached' },
    {
      name: 'keyed-language',
      path: '/api/board/keyed-language',
      headers: { 'accept-language': 'fr' },
      expected: 'cached',
    },
    {
      name: 'reads-language',
      path: '/api/board/reads-language',
      headers: { 'accept-language': 'fr' },
      expected: unkeyed,
    },
    { name: 'reads-key', path: '/api/board/reads-key', headers: { 'x-api-key': 'k1' }, expected: unkeyed },
    { name: 'reads-raw', path: '/api/board/reads-raw', headers: { 'x-api-key': 'k1' }, expected: unkeyed },
    { name: 'reads-ip', path: '/api/board/reads-ip', headers: { 'x-forwarded-for': '10.1.1.1' }, expected: unkeyed },
    { name: 'reads-host', path: '/api/board/reads-host', headers: { host: 'box.example' }, expected: unkeyed },
    ...cached('doors', '/api/doors'),
    ...cached('house', '/api/house'),
    ...cached('house-of-caller', '/api/house-of-caller'),
    { name: 'house-unkeyed', path: '/api/house-unkeyed', expected: unkeyed },
    ...cached('flags-of-state', '/api/flags-of-state'),
    ...(globals ? cached('site', '/api/site') : []),
    ...cached('card', '/api/card'),
    ...cached('sheet', '/api/events/gala/sheet', '/api/events/film-night/sheet', '/api/events/gone/sheet'),
    ...cached(
      'events',
      '/api/events',
      '/api/events?sort=seats:desc&fields=title,seats',
      '/api/events?sort=publishedAt:desc&pagination[pageSize]=2',
      '/api/events?populate=*&pagination[pageSize]=3&sort=title',
      '/api/events?filters[hall][name]=Cellar&populate[hall][fields]=name',
      '/api/events?filters[acts][name][$contains]=e&fields=title&sort=slug',
      '/api/events?filters[mode]=film&fields=title',
      '/api/events?status=draft&fields=title&sort=title',
      '/api/events?locale=fr&sort=title&fields=title,blurb',
      '/api/events?populate[sections][populate]=*&populate[slots]=true&fields=title&pagination[pageSize]=2&sort=id',
      '/api/events?filters[badge][text][$contains]=1&populate=badge',
      '/api/events?pagination[withCount]=false&pagination[start]=1&pagination[limit]=2&sort=startsAt&fields=day,takings',
      '/api/events?_q=night',
      '/api/events?populate[poster][fields]=name,url&filters[poster][name][$notNull]=true',
    ),
    ...cached('event', `/api/events/${event}`, `/api/events/${event}?locale=fr`, `/api/events/${event}?status=draft`),
    ...[
      '',
      '?sort=rank&fields=name,fee',
      '?populate=home&sort=name:desc',
      '?filters[events][title]=Gala&populate=events',
    ].map((query): Url => ({ name: 'acts', path: `/api/acts${query}`, expected: 'public' })),
    { name: 'act', path: `/api/acts/${act}`, expected: 'public' },
    ...cached('halls', '/api/halls?populate=*', '/api/halls?filters[house][slug]=north&sort=name&populate=notices'),
    ...cached('hall', `/api/halls/${hall}?populate=resident`),
    ...cached('houses', '/api/houses', `/api/houses/${house}?populate=halls`),
    ...cached('tickets', '/api/tickets'),
    ...cached('notices', '/api/notices?sort=id'),
    ...cached('imprint', '/api/imprint?populate=badge', '/api/imprint?locale=fr'),
    ...cached('desk', '/api/desk/entries?sort=label'),
    ...cached('files', '/api/upload/files'),
    ...cached('me', '/api/users/me', '/api/users/me/badge'),
  ];
};
