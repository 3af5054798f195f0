import type { Register } from './registers';

interface Shown {
  readonly documentId: string;
  readonly views?: number;
  readonly bio?: string;
  readonly author?: Shown | null;
  readonly articles?: readonly Shown[];
}

/** The versions of registers that one answer shows, by document id. */
export type Seen = ReadonlyMap<string, number>;

/** Pages that show registers: single documents, lists, and relations from both sides. */
export const pagesOf = (registers: readonly Register[]): string[] => {
  const articles = registers.filter(({ kind }) => kind === 'article');
  const authors = registers.filter(({ kind }) => kind === 'author');
  return [
    ...articles.map(({ documentId }) => `/api/articles/${documentId}?fields=views`),
    ...articles.map(({ documentId }) => `/api/articles/${documentId}?fields=views&populate[author][fields]=bio`),
    ...authors.map(({ documentId }) => `/api/authors/${documentId}?fields=bio`),
    ...authors
      .slice(0, 3)
      .map(({ documentId }) => `/api/authors/${documentId}?fields=bio&populate[articles][fields]=views`),
    '/api/articles?fields=views&sort=id&pagination[pageSize]=12',
    '/api/articles?fields=views&sort=views:desc&pagination[pageSize]=10',
    '/api/articles?fields=views&sort=title&populate[author][fields]=bio&pagination[pageSize]=12',
    '/api/authors?fields=bio&sort=name',
  ];
};

export const seenIn = (body: string): Seen => {
  const seen = new Map<string, number>();
  const visit = (shown: Shown): void => {
    if (shown.views !== undefined) seen.set(shown.documentId, shown.views);
    if (shown.bio !== undefined) seen.set(shown.documentId, Number(shown.bio));
    if (shown.author) visit(shown.author);
    shown.articles?.forEach(visit);
  };
  const { data } = JSON.parse(body) as { data: Shown | readonly Shown[] };
  if (Array.isArray(data)) (data as readonly Shown[]).forEach(visit);
  else visit(data as Shown);
  return seen;
};
