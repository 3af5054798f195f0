import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Child } from './child';
import { rawRequest, type RawResponse } from '../application/raw-request';

/** The URLs that every part of the bench requests. */
export const LIST = '/api/articles?pagination[pageSize]=25&populate=author';
export const HOMEPAGE = '/api/homepage?populate=*';
export const PATHS = [LIST, HOMEPAGE] as const;

/** A page of a front end that populates deeply: more than thirty statements. */
const DEEP_POPULATES = `/api/articles?${[
  'pagination[pageSize]=3',
  'populate[cover]=true',
  'populate[gallery]=true',
  'populate[seo][populate]=*',
  'populate[tags][populate][articles][populate][author]=true',
  'populate[category][populate][articles][populate][cover]=true',
  'populate[author][populate][avatar]=true',
  'populate[author][populate][links]=true',
  'populate[blocks][populate]=*',
].join('&')}`;

/** The URLs whose misses are compared with the same requests without the plugin, by name. */
export const MISSED = { list: LIST, homepage: HOMEPAGE, deepPopulates: DEEP_POPULATES } as const;

/** Every caller has an entry of their own, also without credentials. */
const perCaller = { hitpass: false, keys: { useAuth: true } };

/** Routes of application/, each with a middleware or a policy of its own. */
export const FRONT_END = '/api/front-end';
const FRONT_END_ROUTES: Readonly<Record<string, readonly string[]>> = {
  'api::article.article': ['articles', 'articles/:id', 'list', 'text', 'policed'],
  'api::homepage.homepage': ['homepage'],
  'api::category.category': ['categories'],
  'api::author.author': ['authors'],
  'api::tag.tag': ['tags'],
  'api::writer.editor': ['editors'],
};

/** `BENCH_PLUGIN`: the folder of another build of the plugin, which is measured instead of this one. */
export const anotherBuild = process.env.BENCH_PLUGIN;

/** The plugin with this strategy, and Strapi's defaults for what is left out. */
export const withStrategy = <Strategy extends object>(strategy: Strategy, provider?: Record<string, unknown>) => ({
  'rest-cache': {
    enabled: true,
    ...(anotherBuild === undefined ? {} : { resolve: anotherBuild }),
    config: { strategy, ...(provider === undefined ? {} : { provider }) },
  },
});

/** The plugin's configuration for the requests of the bench. */
export const restCache = (
  strategy: Record<string, unknown> = {},
  provider: Record<string, unknown> = { name: 'memory' },
) =>
  withStrategy(
    {
      enableXCacheHeaders: true,
      enableEtag: true,
      contentTypes: Object.entries(FRONT_END_ROUTES).map(([contentType, routes]) => ({
        contentType,
        ...perCaller,
        routes: routes.map((route) => `${FRONT_END}/${route}`),
      })),
      ...strategy,
    },
    provider,
  );

/** The plugin with its defaults: only the content types are configured. */
export const byDefault = (contentTypes: readonly string[] = TWO_TYPES) => withStrategy({ contentTypes });

export const TWO_TYPES: readonly string[] = ['api::article.article', 'api::homepage.homepage'];

export const withoutCache = { 'rest-cache': { enabled: false } };

/** Repeats a request until the outermost lane answers: a miss, a hit that is remembered, a hit from memory. */
export const warm = async (
  server: Child,
  target: string,
  headers: Record<string, string> = {},
): Promise<RawResponse> => {
  let answer: RawResponse | undefined;
  for (let attempt = 0; attempt < 4; attempt += 1)
    answer = await rawRequest({ origin: server.origin }, target, { headers });
  if (answer === undefined || answer.status >= 400)
    throw new Error(`${target} of ${server.name} answers ${answer?.status}: ${answer?.body.toString().slice(0, 200)}`);
  return answer;
};

/** Headers that the bare servers set themselves. */
const OWN: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

const fixed = ({ headers }: RawResponse): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.has(name)));

/** Writes the lane's own responses to a file for the bare servers, which send the same bytes with the same headers. */
export const writeResponses = async (server: Child, folder: string): Promise<string> => {
  const responses: Record<string, unknown> = {};
  for (const target of PATHS) {
    const full = await warm(server, target);
    const { etag } = full.headers;
    const notModified = await rawRequest({ origin: server.origin }, target, {
      headers: { 'if-none-match': String(etag) },
    });
    if (notModified.status !== 304) throw new Error(`${target} answers ${notModified.status} instead of 304`);
    responses[target] = {
      headers: fixed(full),
      notModified: fixed(notModified),
      etag,
      body: full.body.toString('base64'),
    };
  }
  const file = path.join(folder, 'responses.json');
  writeFileSync(file, JSON.stringify(responses));
  return file;
};

/**
 * The requests of a front end that shows a page: twelve URLs in each of two locales. A middleware of each route
 * populates.
 */
export const pageLoad = async (server: Child): Promise<readonly string[]> => {
  const paths: string[] = [];
  for (const locale of ['en', 'fr']) {
    const list = await warm(server, `/api/articles?locale=${locale}&pagination[pageSize]=2`);
    const { data } = JSON.parse(list.body.toString()) as { data: ReadonlyArray<{ documentId: string }> };
    const urls = [
      'homepage',
      'articles?sort=publishedOn:desc&pagination[pageSize]=3',
      'articles?sort=publishedOn:desc&pagination[pageSize]=3&pagination[page]=2',
      'articles?sort=views:desc&pagination[pageSize]=5',
      'articles?filters[featured][$eq]=true',
      'articles?sort=rating:desc&pagination[pageSize]=5',
      ...data.map(({ documentId }) => `articles/${documentId}`),
      'categories',
      'authors',
      'tags',
      'editors',
    ];
    if (urls.length !== 12) throw new Error(`a page has ${urls.length} URLs instead of 12`);
    paths.push(...urls.map((url) => `${FRONT_END}/${url}${url.includes('?') ? '&' : '?'}locale=${locale}`));
  }
  return paths;
};

/** The `Authorization` header of a signed-in customer. */
export const signIn = async (server: Child, username = 'alice'): Promise<Record<string, string>> => {
  const response = await fetch(`${server.origin}/api/auth/local`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: `${username}@example.com`, password: 'Passw0rd1' }),
  });
  const { jwt } = (await response.json()) as { jwt?: string };
  if (jwt === undefined) throw new Error(`${username} cannot sign in at ${server.name}: ${response.status}`);
  return { authorization: `Bearer ${jwt}` };
};

/** The same as `writeResponses` for compressed responses, once their bytes are ready. */
export const writeEncodedResponses = async (
  server: Child,
  headers: Record<string, string>,
  folder: string,
): Promise<string> => {
  const responses: Record<string, unknown> = {};
  for (const target of PATHS) {
    await warm(server, target, headers);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const full = await warm(server, target, headers);
    responses[target] = { headers: fixed(full), notModified: {}, etag: undefined, body: full.body.toString('base64') };
  }
  const file = path.join(folder, 'encoded-responses.json');
  writeFileSync(file, JSON.stringify(responses));
  return file;
};
