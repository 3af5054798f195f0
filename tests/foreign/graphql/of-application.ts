import { createHash } from 'node:crypto';
import type { Url } from '../urls';
import { operationUrl } from './operation-url';

const never = (reason: string): Url['expected'] => ({ never: reason });

const EVENTS = `query Events($filters: EventFiltersInput, $status: PublicationStatus, $locale: I18NLocaleCode) {
  events(filters: $filters, status: $status, locale: $locale, sort: "documentId") { title mode updatedAt }
}`;

const TWO_OPERATIONS = `
  query Halls { halls(sort: "id") { ...H } }
  query Cellar { halls(filters: { name: { eq: "Cellar" } }) { ...H capacity } }
  fragment H on Hall { name regionName }`;

const OFFICE = `query Office($hall: String!, $supplier: String!, $state: String!, $isShort: Boolean!) {
  office {
    hall(name: $hall) { ...Room }
    stock(supplier: $supplier) { sku label available }
    ticketsIn(state: $state)
    ...Rest @skip(if: $isShort)
  }
}
fragment Room on OfficeHall { name house nights film: nights(mode: "film") }
fragment Rest on Office {
  halls { ...Room neighbours { name } }
  next { title startsAt hall { name } badge { text } }
  banner
}`;

const office = { hall: 'Cellar', supplier: 'ACME', state: 'paid', isShort: true };

const BY_DOCUMENTS = `query Own($locale: String, $filters: EventFiltersInput, $sort: [String]) {
  eventsByDocuments(locale: $locale, filters: $filters, sort: $sort) {
    title takings hall { name } acts(sort: "name") { name } sections { ... on ComponentBoxQuote { text actName } }
  }
}`;

const EVENTS_BY_SQL =
  'query Lines($hall: String, $limit: Int) { eventsBySql(hall: $hall, limit: $limit) { title hall } }';
const BY_MODE = 'query Mode($mode: String) { eventsByQuery(mode: $mode) { title seats reviews { stars notes } } }';
const SUPPLIED =
  'query Supplied($of: String!) { office { stock(supplier: $of) { sku supplier { name items { sku available } } } } }';
const ATTRACTIONS = `query All($under: Int!) {
  attractions(under: $under) { __typename ... on Act { name fee homeName } ... on Hall { name eventCount } }
}`;
const COUNTS = 'query Counts($mode: String) { halls(sort: "id") { name eventCount(mode: $mode) all: eventCount } }';
const REVIEWS = `query Reviews($order: String, $status: PublicationStatus) {
  events(sort: "documentId", status: $status) { title meanStars reviews(order: $order) { stars body notes } }
}`;
const HASHED = '{ houses(sort: "slug") { slug motto ledger features } }';

/** What is asked by what Strapi's own resolvers read. */
const byStrapi: readonly Url[] = [
  ...[
    { filters: { mode: { eq: 'film' } } },
    { filters: { hall: { name: { eq: 'Cellar' } } } },
    { filters: { or: [{ seats: { gt: 110 } }, { acts: { name: { contains: 'e' } } }] } },
    { filters: { badge: { text: { contains: '1' } }, not: { mode: { eq: 'talk' } } } },
    { status: 'DRAFT', filters: { poster: { name: { notNull: true } } } },
    { locale: 'fr' },
    { locale: null, status: 'PUBLISHED' },
  ].map((variables, index) => operationUrl({ query: EVENTS, variables }, { by: index % 2 === 0 ? 'GET' : 'POST' })),
  operationUrl({ query: TWO_OPERATIONS, operationName: 'Halls' }),
  operationUrl({ query: TWO_OPERATIONS, operationName: 'Cellar' }),
  operationUrl({
    query: HASHED,
    extensions: { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(HASHED).digest('hex') } },
  }),
  operationUrl({ query: HASHED }, { by: 'POST' }),
  operationUrl({
    query: '{ events(sort: "id", status: DRAFT, publicationFilter: MODIFIED) { title } }',
  }),
  operationUrl({ query: '{ uploadFiles(sort: "id") { name alternativeText url related { __typename } } }' }),
  operationUrl({ query: '{ deskEntries(sort: "label") { label queue } }' }),
  operationUrl({ query: '{ tickets(sort: "code") { code state event { title } } }' }),
  operationUrl({ query: '{ i18NLocales { code name } }' }),
  operationUrl({ query: '{ me { username email role { name } } }' }, { expected: 'perhaps' }),
  operationUrl({ query: '{ notices(sort: "id") { text subject { __typename ... on Hall { name } } } }' }),
  operationUrl({ query: '{ __schema { queryType { name } } }' }, { expected: never('introspection') }),
  operationUrl({ query: '{ halls { name nothing } }' }, { expected: never('it is not valid') }),
];

/** What is asked by the application's own types, fields and root queries. */
const byApplication: readonly Url[] = [
  ...[
    office,
    { ...office, isShort: false },
    { ...office, hall: 'Roof' },
    { ...office, supplier: 'BOLT' },
    { ...office, state: 'held' },
  ].map((variables, index) => operationUrl({ query: OFFICE, variables }, { by: index % 2 === 0 ? 'GET' : 'POST' })),
  operationUrl({ query: '{ office { halls { name nights neighbours { name house nights(mode: "stage") } } } }' }),
  ...['ACME', 'CARGO'].map((of) => operationUrl({ query: SUPPLIED, variables: { of } })),
  operationUrl({ query: BY_DOCUMENTS, variables: { sort: ['slug', 'id'] } }),
  operationUrl({ query: BY_DOCUMENTS, variables: { locale: 'fr' } }, { by: 'POST' }),
  operationUrl({ query: BY_DOCUMENTS, variables: { filters: { acts: { name: { contains: 'l' } } } } }, { by: 'POST' }),
  operationUrl({ query: '{ draftsByDocuments { title slots { label minute } } halls(sort: "name") { name } }' }),
  operationUrl({ query: BY_MODE, variables: {} }),
  operationUrl({ query: BY_MODE, variables: { mode: 'film' } }),
  operationUrl({ query: EVENTS_BY_SQL, variables: {} }),
  operationUrl({ query: EVENTS_BY_SQL, variables: { hall: 'Cellar' } }),
  operationUrl({ query: EVENTS_BY_SQL, variables: { limit: 2 } }, { by: 'POST' }),
  operationUrl({ query: '{ modes }' }),
  ...[1, 3].map((under) => operationUrl({ query: ATTRACTIONS, variables: { under } })),
  ...[{}, { mode: 'stage' }, { mode: 'talk' }].map((variables) => operationUrl({ query: COUNTS, variables })),
  ...[{}, { order: 'desc' }, { status: 'DRAFT' }].map((variables) =>
    operationUrl({ query: REVIEWS, variables }, { by: 'POST' }),
  ),
  operationUrl({ query: '{ acts(sort: "id") { name homeName home { name eventCount } } }' }),
  operationUrl({ query: '{ again: acts(sort: "name") { homeName } }' }, { by: 'POST' }),
  ...[0, 1].map((rank) =>
    operationUrl({
      query: 'query Homes($rank: Int) { acts(filters: { rank: { gte: $rank } }, sort: "id") { homeName } }',
      variables: { rank },
    }),
  ),
  operationUrl({ query: '{ events(sort: "documentId") { title acts(sort: "name") { homeName } } }' }),
  operationUrl({ query: '{ houses(sort: "slug") { motto } }' }),
  ...['south', 'north'].map((slug) =>
    operationUrl({
      query: 'query House($slug: String) { houses(filters: { slug: { eq: $slug } }) { name motto } }',
      variables: { slug },
    }),
  ),
  operationUrl({ query: '{ queuedActs { name rank } houses(sort: "slug") { slug } }' }),
  operationUrl({ query: '{ queuedActs { name } }' }, { expected: never('it reads nothing itself: a queue does') }),
  operationUrl({ query: '{ sharedTitles }' }),
  operationUrl({ query: '{ titles: sharedTitles }' }, { by: 'POST' }),
  operationUrl({ query: '{ release { name number } flags(sort: "id") { name note } }' }),
  operationUrl({ query: '{ release { name number } }' }, { expected: never('it reads nothing') }),
  operationUrl({ query: '{ releases { name } }' }, { by: 'POST', expected: never('it reads nothing') }),
  operationUrl({ query: '{ visit halls(sort: "id") { name } }' }, { expected: never('it writes') }),
  operationUrl({ query: '{ visit }' }, { by: 'POST', expected: never('it writes') }),
];

const UNKEYED = never('a resolver reads a header that is not in the key');

/** What depends on the caller, on a header, or on a policy or middleware. */
const byCaller = (isRepeatable: boolean): readonly Url[] => {
  const guarded = isRepeatable ? 'perhaps' : never('a policy or a middleware stands in front');
  return [
    // What is read of the caller alone is no content.
    operationUrl({ query: '{ card { name nick } halls(sort: "id") { name } }' }),
    operationUrl({ query: '{ card { name nick tickets } }' }, { expected: 'perhaps' }),
    operationUrl({ query: '{ signedInOnly }' }),
    operationUrl({ query: '{ mayFindHalls houses(sort: "id") { name } }' }),
    operationUrl({ query: '{ mottoOfHeader }' }, { expected: UNKEYED }),
    operationUrl({ query: '{ mottoOfHeader }' }, { headers: { 'x-house': 'south' }, expected: UNKEYED }),
    operationUrl({ query: '{ mottoOfHeader }' }, { by: 'POST', headers: { 'x-house': 'gone' }, expected: UNKEYED }),
    operationUrl({ query: '{ mottoOfKeyedHeader }' }),
    operationUrl({ query: '{ mottoOfKeyedHeader }' }, { headers: { 'x-desk': 'south' } }),
    operationUrl({ query: '{ mottoOfKeyedHeader }' }, { by: 'POST', headers: { 'x-desk': 'nowhere' } }),
    operationUrl({ query: '{ doorsNote halls(sort: "id") { name } }' }, { expected: guarded }),
    ...[true, false].map((enabled) =>
      operationUrl(
        { query: 'query Flags($enabled: Boolean!) { doorsFlags(enabled: $enabled) }', variables: { enabled } },
        { expected: guarded },
      ),
    ),
  ];
};

/** Operations written for this application: its own types and resolvers, and what no schema says. */
export const operationsOfApplication = (isRepeatable: boolean): readonly Url[] => [
  ...byStrapi,
  ...byApplication,
  ...byCaller(isRepeatable),
];
