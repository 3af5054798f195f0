import type { RestCacheConfig } from '../../server/src/config/user-config';
import { rawRequest, type RawResponse } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

type EdgeConfig = NonNullable<NonNullable<RestCacheConfig['strategy']>['edge']>;

export const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';

/** Repeats the request if the server was just closing the idle connection, as servers do after five seconds. */
export const readFrom = (
  server: { readonly origin: string },
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawResponse> => {
  const send = (): Promise<RawResponse> => rawRequest(server, url, { headers });
  return send().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error;
    return send();
  });
};

/** An application behind an edge, with the URLs to read and the writes to make. */
export class World {
  private constructor(
    readonly application: Application,
    readonly documentIds: readonly string[],
  ) {}

  static async start(edge: EdgeConfig): Promise<World> {
    const application = await startApplication({
      restCache: {
        strategy: {
          enableEtag: true,
          enableXCacheHeaders: true,
          contentTypes: [ARTICLE, AUTHOR, 'api::tag.tag', 'api::category.category', 'api::homepage.homepage'],
          edge,
        },
      },
    });
    const articles = await application.strapi
      .documents(ARTICLE)
      .findMany({ status: 'published', fields: ['documentId'], limit: 8, sort: 'id' });
    return new World(
      application,
      articles.map(({ documentId }) => documentId),
    );
  }

  get urls(): readonly string[] {
    return [
      '/api/articles',
      '/api/articles?sort=title&pagination[pageSize]=5',
      '/api/articles?populate=*&pagination[pageSize]=10',
      '/api/articles?filters[author][name][$contains]=a&pagination[pageSize]=5',
      '/api/articles?filters[tags][name][$contains]=e&populate=tags&pagination[pageSize]=5',
      '/api/authors?populate=articles',
      '/api/tags',
      '/api/categories?populate=*',
      '/api/homepage?populate=*',
      ...this.documentIds.flatMap((id) => [`/api/articles/${id}`, `/api/articles/${id}?populate=*`]),
    ];
  }

  async retitle(documentId: string, title: string): Promise<void> {
    await this.application.strapi
      .documents(ARTICLE)
      .update({ documentId, data: { title } as never, status: 'published' });
  }

  /** One write after the other, with alternating kinds. */
  async #writes(): Promise<(round: number) => Promise<unknown>> {
    const { strapi } = this.application;
    const names = ['Ada', 'Bea', 'Cea', 'Dea'];
    const authors = await strapi.documents(AUTHOR).findMany({ fields: ['documentId'], limit: 4 });
    const kinds: ReadonlyArray<(round: number) => Promise<unknown>> = [
      (round) => this.retitle(this.documentIds[round % this.documentIds.length] ?? '', `Title ${round}`),
      (round) =>
        strapi.documents(AUTHOR).update({
          documentId: authors[round % authors.length]?.documentId ?? '',
          data: { name: `${names[round % names.length]} ${round}` } as never,
        }),
      (round) =>
        strapi.db
          .connection('tags')
          .where('id', '>', 0)
          .limit(1)
          .update({ name: `Tag ${round}` }),
      (round) =>
        strapi.documents(ARTICLE).create({
          data: { title: `A ${round}`, slug: `edge-${round}`, body: 'New' } as never,
          status: 'published',
        }),
    ];
    return async (round) => kinds[round % kinds.length]?.(round);
  }

  /**
   * Repeatedly makes a write, waits for its acknowledgement, and reads at the edge and at the origin. Returns the reads
   * at the edge that differ from the origin.
   */
  async readAfterWrites(
    edge: { readonly origin: string },
    atLeast: number,
    look: (answer: RawResponse) => void = () => undefined,
  ): Promise<{ readonly reads: number; readonly stale: readonly string[] }> {
    const write = await this.#writes();
    const stale: string[] = [];
    let reads = 0;
    for (let round = 0; reads < atLeast; round += 1) {
      await write(round);
      const answers = await Promise.all(
        this.urls.map(async (url) => [url, await readFrom(edge, url), await readFrom(this.application, url)] as const),
      );
      reads += answers.length;
      for (const [url, there, here] of answers) {
        if (there.status !== 200 || here.status !== 200) stale.push(`${round} ${url}: ${there.status} ${here.status}`);
        else if (!there.body.equals(here.body)) stale.push(`${round} ${url}`);
        look(there);
      }
    }
    return { reads, stale };
  }
}
