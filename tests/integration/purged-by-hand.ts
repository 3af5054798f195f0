import { beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { createApiToken, logInCustomer } from '../application/callers';
import type { Application } from '../application/start-application';
import { expectKept, expectPurged } from './warm-entries';

const ARTICLE = 'api::article.article';
const HOMEPAGE = '/api/homepage?populate[featured]=true';
const LIST = '/api/articles?sort=title';

/**
 * People purge by hand after a write from outside of Strapi. Responses that show the content have to be purged together
 * with its own entries.
 */
export const askOfPurgesByHand = (running: () => Application): void =>
  void describe('purged by hand', () => {
    let application: Application;
    let admin: AdminSession;
    let featured: { readonly documentId: string; readonly slug: string };
    let other: { readonly documentId: string };

    beforeAll(async () => {
      application = running();
      admin = await logIn(application);
      const dataOf = async <T>(path: string): Promise<T> =>
        (JSON.parse((await application.get(path)).body) as { data: T }).data;
      const shown = (await dataOf<{ featured: [typeof featured] }>(HOMEPAGE)).featured;
      [featured] = shown;
      const all = await dataOf<Array<typeof other>>('/api/articles?pagination[pageSize]=50');
      const rest = all.filter(({ documentId }) => shown.every((each) => each.documentId !== documentId));
      other = rest[0] ?? featured;
    });

    const purge = (body: object): Promise<unknown> =>
      admin.post('/rest-cache/purge', { contentType: ARTICLE, ...body });

    describe('a purge of a content type', () => {
      it.each([
        ['POST /rest-cache/purge', () => purge({})],
        [
          'POST /api/rest-cache/purge',
          async () => {
            const { headers } = await createApiToken(application, 'full-access');
            const answer = await application.request('/api/rest-cache/purge', {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...headers },
              body: JSON.stringify({ contentType: ARTICLE }),
            });
            expect(await answer.json()).toEqual({ entries: null });
          },
        ],
        ['clearByUid', () => cacheStore(application).clearByUid(ARTICLE)],
      ])('by %s reaches the pages that show it, and no others', async (_name, request) => {
        await expectPurged(application, [LIST, HOMEPAGE], request);
        await expectKept(application, ['/api/categories', '/api/homepage'], request);
      });

      it('reaches the entries of each caller', async () => {
        const { headers } = await logInCustomer(application, 'bob');
        await expectPurged(application, ['/api/orders'], () => purge({ contentType: 'api::order.order' }), headers);
      });

      it('is counted before, by a preview', async () => {
        await cacheStore(application).reset();
        await expectPurged(application, [LIST, HOMEPAGE], async () => {
          const { body } = await admin.post('/rest-cache/purge-preview', { contentType: ARTICLE });
          expect(body).toEqual({ entries: 2 });
          await purge({});
        });
      });
    });

    // That params are compared and never compiled: tests/unit/admin-api/purge-request.test.ts.
    describe('a purge narrowed by params', () => {
      it.each([
        ['id', () => ({ id: featured.documentId })],
        ['an attribute', () => ({ slug: featured.slug })],
      ])('by %s reaches the document, and the lists and pages that show it', async (_name, params) => {
        const narrowed = (): Promise<unknown> => purge({ params: params() });
        const one = `/api/articles/${featured.documentId}`;
        await expectPurged(application, [one, `${one}?fields=title`, LIST, HOMEPAGE], narrowed);
        await expectKept(application, [`/api/articles/${other.documentId}`, '/api/homepage'], narrowed);
      });

      it('leaves pages alone that show other documents', async () => {
        await expectKept(application, [`/api/articles/${featured.documentId}`, HOMEPAGE], () =>
          purge({ params: { id: other.documentId } }),
        );
      });
    });
  });
