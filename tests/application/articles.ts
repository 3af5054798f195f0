import type { Application } from './start-application';

const ARTICLE = 'api::article.article';

export interface Article {
  readonly documentId: string;
  readonly title: string;
}

/** The first published article by its title. */
export const anArticle = async ({ strapi }: Pick<Application, 'strapi'>): Promise<Article> =>
  (await strapi.documents(ARTICLE).findFirst({ status: 'published', sort: 'title' })) as unknown as Article;

/** Gives an article another title, and publishes it. */
export const retitle = (
  { strapi }: Pick<Application, 'strapi'>,
  { documentId }: Pick<Article, 'documentId'>,
  title: string,
): Promise<unknown> => strapi.documents(ARTICLE).update({ documentId, data: { title } as never, status: 'published' });
