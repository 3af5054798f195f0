import { rawRequest } from '../application/raw-request';
import type { Child } from './child';
import { CACHED, restPages, WRITES } from './editing-day';
import { startStrapi, WITHOUT_LOG } from './strapi-process';
import { GRAPHQL } from './graphql';
import { withStrategy } from './subjects';

/** What the edits of a day do to the responses of all pages. */
export interface PurgePrecision {
  readonly pages: number;
  /** Responses whose body has changed, counted again for each edit. */
  readonly changed: number;
  /** Responses that had to be computed after an edit. */
  readonly purged: number;
  /** Responses that were answered from the cache although a computation gives another body. */
  readonly stale: number;
}

const ARTICLE = 'documentId title publishedOn author { documentId name } category { documentId name } tags { name }';

const PAGINATION = 'pagination: { limit: 10, start: ';

/** The same pages as those of REST, each as one query. */
const graphqlPages = async (server: Child): Promise<readonly string[]> => {
  const articles = (await restPages(server))
    .map((page) => /^\/api\/articles\/(\w+)\?/.exec(page)?.[1])
    .filter((documentId) => documentId !== undefined);
  const queries = [
    'homepage { documentId featured { documentId title } }',
    ...[0, 10, 20].map((start) => `articles(${PAGINATION}${start} }, sort: "publishedOn:desc") { ${ARTICLE} }`),
    `articles(filters: { featured: { eq: true } }) { ${ARTICLE} }`,
    'articles(sort: "views:desc", pagination: { limit: 5 }) { documentId title author { name } }',
    'categories { documentId name }',
    'authors { documentId name avatar { url } }',
    'tags { documentId name }',
    ...articles.map((documentId) => `article(documentId: "${documentId}") { ${ARTICLE} cover { url } }`),
  ];
  return queries.map((query) => `/graphql?query=${encodeURIComponent(`{ ${query} }`)}`);
};

const plugins = {
  graphql: GRAPHQL,
  ...withStrategy({ enableXCacheHeaders: true, contentTypes: CACHED, graphql: true }),
};

const headers = { 'apollo-require-preflight': 'true' };

const measure = async (server: Child, pages: readonly string[]): Promise<PurgePrecision> => {
  const ask = async (page: string): Promise<{ readonly body: string; readonly isHit: boolean }> => {
    const answer = await rawRequest(server, page, { headers });
    const body = answer.body.toString();
    if (answer.status !== 200 || body.includes('"errors"')) throw new Error(`${page} answers ${body.slice(0, 300)}`);
    return { body, isHit: answer.headers['x-cache'] === 'HIT' };
  };
  const bodies = new Map<string, string>();
  for (const page of pages) bodies.set(page, (await ask(page)).body);
  const counts = { changed: 0, purged: 0, stale: 0 };
  for (let turn = 0; turn < WRITES; turn += 1) {
    await server.ask('edit', turn);
    const after = new Map<string, Awaited<ReturnType<typeof ask>>>();
    for (const page of pages) after.set(page, await ask(page));
    await server.ask('purge everything');
    for (const page of pages) {
      const { body, isHit } = after.get(page) ?? { body: '', isHit: false };
      const computed = await ask(page);
      if (!isHit) counts.purged += 1;
      if (computed.body !== bodies.get(page)) counts.changed += 1;
      if (computed.body !== body) counts.stale += 1;
      bodies.set(page, computed.body);
    }
  }
  return { pages: pages.length, ...counts };
};

/** How many responses an edit purges, and how many it changes, seen through REST and through GraphQL. */
export const measurePurgePrecision = async (): Promise<Readonly<Record<'REST' | 'GraphQL', PurgePrecision>>> => {
  const seenThrough = async (name: string, pagesOf: typeof restPages): Promise<PurgePrecision> => {
    const server = await startStrapi(`edits through ${name}`, { middlewares: WITHOUT_LOG, plugins });
    try {
      return await measure(server, await pagesOf(server));
    } finally {
      await server.stop();
    }
  };
  return { REST: await seenThrough('REST', restPages), GraphQL: await seenThrough('GraphQL', graphqlPages) };
};
