/**
 * Takes the pictures of the admin panel that README.md and the documentation show: an hour of a site with visitors and
 * editors, of which nineteen twentieths are skipped.
 *
 *   npx tsx tests/browser/pictures.ts
 */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import prepare from '../application/prepare';
import { logIn } from '../application/admin-session';
import { ROOT } from '../application/paths';
import { launchChromium } from './chromium';
import { openPanel, settled, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import preparePanel from './prepare-panel';

const PICTURES = path.join(ROOT, 'docs/screenshots');

/** The hour has as many parts, each of which takes as long as the metrics are summed up for, in milliseconds. */
const PARTS = 20;
const PART = 10_000;
const VISITS = 200;

/** The same visitors each time. */
let seed = 7;
const random = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** Few pages are asked for often, many rarely: by Zipf's law. */
const ranked = <T>(all: readonly T[]): T => {
  const weights = all.map((_, rank) => 1 / (rank + 1));
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const index = weights.findIndex((weight) => (left -= weight) <= 0);
  return all[Math.max(index, 0)] as T;
};

interface Article {
  readonly documentId: string;
  readonly slug: string;
  readonly title: string;
}

const articlesOf = async ({ request }: PanelServer): Promise<readonly Article[]> => {
  const query = 'sort=publishedAt:desc&fields=slug,title&pagination[pageSize]=25';
  return ((await (await request(`/api/articles?${query}`)).json()) as { data: readonly Article[] }).data;
};

const pagesOf = (articles: readonly Article[]): readonly string[] => [
  '/api/homepage?populate=*',
  '/api/articles?sort=publishedAt:desc&pagination[pageSize]=10&populate=author',
  '/api/categories?sort=name',
  ...articles.slice(0, 12).map(({ slug }) => `/api/articles/by-slug/${slug}`),
  '/api/tags?sort=name',
  ...articles.slice(12).map(({ documentId }) => `/api/articles/${documentId}?populate=category`),
  '/api/authors?sort=name&populate=avatar',
  '/api/reports/top-authors',
  '/api/sitemap.xml',
  ...['home', 'mail', 'feed'].map((source) => `/api/articles?sort=publishedAt:desc&utm_source=${source}`),
];

/** A token that may edit, as the playground seeds it. */
const editorsToken = async (server: PanelServer): Promise<string> => {
  const admin = await logIn(server);
  const { body } = await admin.get<{ data: ReadonlyArray<{ id: number; name: string }> }>('/admin/api-tokens');
  const found = body.data.find(({ name }) => name === 'playground');
  const { body: token } = await admin.get<{ data: { accessKey: string } }>(`/admin/api-tokens/${found?.id ?? 0}`);
  return token.data.accessKey;
};

/** A title as an editor would change it, and back. */
const revised = (title: string): string =>
  title.endsWith(', revisited') ? title.replace(/, revisited$/, '') : `${title}, revisited`;

const visitForAnHour = async (server: PanelServer, articles: readonly Article[]): Promise<void> => {
  const token = await editorsToken(server);
  const titles = new Map(articles.map(({ documentId, title }) => [documentId, title]));
  const pages = pagesOf(articles);
  const edit = ({ documentId }: Article): Promise<Response> => {
    const title = revised(titles.get(documentId) ?? '');
    titles.set(documentId, title);
    return server.request(`/api/articles/${documentId}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title } }),
    });
  };
  for (let part = 1; part <= PARTS; part += 1) {
    const startedAt = Date.now();
    for (let visit = 0; visit < VISITS; visit += 1) {
      await server.visit(ranked(pages));
      const ahead = startedAt + (visit * PART) / VISITS - Date.now();
      if (ahead > 0) await pause(ahead);
    }
    if (part % 2 === 0) await edit(ranked(articles));
    // The clock moves on while nobody waits for an answer: what answers cost is measured by it.
    server.advance(3_600_000 / PARTS - PART);
  }
  // The last change has removed the most popular pages.
  for (const page of pages) await server.visit(page);
};

/** Each view, in the state of which the documentation speaks. */
const VIEWS: ReadonlyArray<readonly [name: string, path: string]> = [
  ['overview', 'overview'],
  ['routes', 'routes?route=/api/articles'],
  ['entries', 'entries'],
  ['explain', 'explain?url=/api/categories%3Fsort%3Dname%26utm_source%3Dnewsletter&as=anonymous'],
  ['activity', 'activity'],
  ['configuration', 'configuration'],
];

/** The edit view of the content manager, with the plugin's panel beside the form. */
const openEditView = async ({ page }: Panel, { origin }: PanelServer, { documentId }: Article): Promise<void> => {
  await page.goto(`${origin}/admin/content-manager/collection-types/api::article.article/${documentId}`);
  await page.locator('#rest-cache-panel').getByText('cached responses contain').waitFor();
};

const picture = async ({ page }: Panel, name: string): Promise<void> => {
  await settled(page);
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
};

const main = async (): Promise<void> => {
  prepare();
  preparePanel();
  mkdirSync(PICTURES, { recursive: true });
  const server = await startPanelServer(undefined, true);
  const browser = await launchChromium();
  try {
    const articles = await articlesOf(server);
    await visitForAnHour(server, articles);
    const panel = await openPanel(browser, server, { width: 1280, height: 900 });
    for (const [name, view] of VIEWS) {
      // The browser draws a frame around the focus, unless the last thing used was a mouse.
      await panel.page.mouse.click(700, 20);
      await panel.open(view);
      await picture(panel, `${name}-light`);
    }
    const [popular] = articles;
    if (popular === undefined) throw new Error('the playground has no articles');
    await openEditView(panel, server, popular);
    await picture(panel, 'content-manager-light');
    await panel.close();
  } finally {
    await browser.close();
    await server.stop();
  }
};

void main();
