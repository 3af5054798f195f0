import type { RestCacheConfig } from '../../server/src/config/user-config';
import type { PanelServer } from './panel-server';

/**
 * One content type for each badge, a route whose responses are never stored, and a route that is configured differently
 * from its type.
 */
export const EVERY_BADGE: RestCacheConfig = {
  provider: { options: { maxBytes: 20_000_000 } },
  strategy: {
    enableXCacheHeaders: true,
    enableEtag: true,
    contentTypes: [
      { contentType: 'api::article.article', routes: ['/api/articles/by-slug/:slug', '/api/visits'] },
      { contentType: 'api::category.category', hitpass: false, maxAge: 5 * 60_000 },
      {
        contentType: 'api::author.author',
        routes: [{ path: '/api/authors/:id', hitpass: false, keys: { useAuth: true } }],
      },
      { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
      'api::tag.tag',
    ],
  },
};

const tokens = new WeakMap<PanelServer, Map<string, Promise<string>>>();

/** A user's token. Each user logs in only once, because Strapi limits logins to a few a minute. */
export const login = (server: PanelServer, identifier: string): Promise<string> => {
  const known = tokens.get(server) ?? new Map<string, Promise<string>>();
  tokens.set(server, known);
  const token = known.get(identifier) ?? issuedTo(identifier, server);
  known.set(identifier, token);
  return token;
};

const issuedTo = async (identifier: string, { request }: PanelServer): Promise<string> => {
  const response = await request('/api/auth/local', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier, password: 'Passw0rd1' }),
  });
  if (!response.ok) throw new Error(`${identifier} cannot log in: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { jwt: string }).jwt;
};

/** Requests of visitors and of a logged-in user, with bypasses and responses that are not stored. */
export const someTraffic = async (server: PanelServer): Promise<void> => {
  const pages = [
    '/api/articles?sort=title',
    '/api/articles?populate=category&pagination[pageSize]=5',
    '/api/categories',
    '/api/categories?populate=*',
    '/api/tags?sort=name',
    '/api/authors',
    '/api/visits',
  ];
  for (let round = 0; round < 6; round += 1) for (const page of pages) await server.visit(page);
  for (let page = 1; page <= 22; page += 1)
    await server.visit(`/api/articles?pagination[page]=${page}&pagination[pageSize]=2`);
  for (let visit = 0; visit < 5; visit += 1) await server.visit('/api/articles', { cookie: 'consent=yes' });
  const authorization = `Bearer ${await login(server, 'alice@example.com')}`;
  for (let visit = 0; visit < 4; visit += 1) await server.visit('/api/orders', { authorization });
};

export interface FoundArticle {
  readonly documentId: string;
  readonly title: string;
}

export const firstArticle = async ({ request }: PanelServer): Promise<FoundArticle> => {
  const response = await request('/api/articles?sort=title&pagination[pageSize]=1&fields=title');
  const { data } = (await response.json()) as { data: [FoundArticle] };
  return data[0];
};
