import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '../application/admin-session';
import { hasChromium, launchChromium } from './chromium';
import { axeViolations, openPanel, settled, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { EVERY_BADGE, firstArticle, someTraffic } from './traffic';

const VIEWS = ['overview', 'routes', 'entries', 'explain', 'activity', 'configuration'];

describe.runIf(hasChromium())('Every view', () => {
  let server: PanelServer;
  let browser: Browser;
  let documentId: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPanelServer(EVERY_BADGE), launchChromium()]);
    ({ documentId } = await firstArticle(server));
    const admin = await logIn(server);
    await server.visit(`/api/articles/${documentId}`);
    await server.visit('/api/articles?sort=title');
    await admin.put(`/content-manager/collection-types/api::article.article/${documentId}`, {
      title: 'A quiet afternoon',
    });
    await admin.post(`/content-manager/collection-types/api::article.article/${documentId}/actions/publish`, {});
    await server.visit('/api/tags');
    await admin.post('/rest-cache/purge', { contentType: 'api::tag.tag' });
    await someTraffic(server);
    await server.visit(`/api/articles/${documentId}`);
    await server.visit(`/api/articles/${documentId}?populate=category`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** The chosen options of selects that are cut off with an ellipsis. */
  const cutOff = ({ page }: Panel): Promise<string[]> =>
    page
      .locator('#main-content [role=tabpanel] [role=combobox] *')
      .evaluateAll((parts) =>
        parts.filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.textContent ?? ''),
      );

  /** How many pixels of the table have to be scrolled to. */
  const scrolledTo = ({ page }: Panel): Promise<number> =>
    page
      .getByRole('grid')
      .evaluate(({ parentElement: frame }) => (frame === null ? -1 : frame.scrollWidth - frame.clientWidth));

  const examine = async (panel: Panel): Promise<void> => {
    const { page } = panel;
    for (const view of VIEWS) {
      await panel.open(view === 'explain' ? 'explain?url=/api/visits&as=anonymous' : view);
      if (view === 'explain') await page.getByText('Answered by Strapi, not cached').waitFor();
      expect([view, await axeViolations(page)]).toEqual([view, []]);
    }
    await panel.open('entries?search=populate%3Dcategory');
    await page
      .getByRole('button', { name: /^Show / })
      .first()
      .click();
    await page.getByRole('dialog').getByText('Computed from').waitFor();
    expect(await axeViolations(page, '[role=dialog]')).toEqual([]);
    await panel.open('routes?route=/api/articles&route=/api/visits');
    await page.getByRole('list', { name: 'Requests of /api/visits and the reasons' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Purge Category' }).click();
    await page
      .getByRole('alertdialog')
      .getByText(/This removes .* that contain Category/)
      .waitFor();
    expect(await axeViolations(page, '[role=alertdialog]')).toEqual([]);
    await page.goto(`${server.origin}/admin/content-manager/collection-types/api::article.article/${documentId}`);
    await page.locator('#rest-cache-panel').getByText('contain').waitFor();
    await settled(page);
    expect(await axeViolations(page, '#rest-cache-panel')).toEqual([]);
    await page.goto(`${server.origin}/admin/content-manager/collection-types/api::article.article`);
    await page.getByRole('button', { name: 'Purge Article from cache' }).waitFor();
    await settled(page);
    await page.goto(`${server.origin}/admin`);
    await page.getByText('Requests in the last hour').scrollIntoViewIfNeeded();
    await settled(page);
    expect(panel.complaints).toEqual([]);
  };

  it.each(['light', 'dark'] as const)('has no fault that axe finds (%s)', async (theme) => {
    const panel = await openPanel(browser, server, { theme });
    await examine(panel);
    await panel.close();
  });

  it.each([
    ['desktop', 1440, 900],
    ['tablet', 1024, 768],
    ['phone', 390, 844],
  ])('fits into the width of a %s', async (_device, width, height) => {
    const panel = await openPanel(browser, server, { width, height });
    for (const view of VIEWS) {
      await panel.open(view);
      const overflow = await panel.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([view, overflow]).toEqual([view, 0]);
      const tab = await panel.page.getByRole('tab', { selected: true }).boundingBox();
      expect([view, (tab?.x ?? -1) >= 0 && (tab?.x ?? width) + (tab?.width ?? 0) <= width]).toEqual([view, true]);
      // Only what can be scrolled may extend beyond the edge: a table's columns, the tabs.
      const beyond = await panel.page.evaluate(() => {
        const scrolls = (element: Element | null): boolean =>
          element !== null &&
          (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
        return Array.from(document.querySelectorAll('#main-content [role=tabpanel] *'))
          .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(element))
          .map((element) => element.outerHTML.slice(0, 200));
      });
      expect([view, beyond]).toEqual([view, []]);
      expect([view, await cutOff(panel)]).toEqual([view, []]);
    }
    await panel.open('routes?route=/api/articles');
    await panel.page.getByRole('list', { name: /^Requests of/ }).waitFor();
    expect(await panel.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    // No room is left for columns that are hidden.
    const spare = await panel.page
      .locator('thead th:visible')
      .last()
      .evaluate(
        (last) => (last.closest('table')?.getBoundingClientRect().right ?? 0) - last.getBoundingClientRect().right,
      );
    expect(spare).toBeLessThan(2);
    await panel.open('entries?pageSize=100');
    // From 1024 pixels on, no column of the table has to be scrolled to.
    if (width >= 1024) expect(await scrolledTo(panel)).toBe(0);
    expect(await cutOff(panel)).toEqual([]);
    // The last tab can be reached by scrolling only the tabs.
    const last = panel.page.getByRole('tab').last();
    await last.scrollIntoViewIfNeeded();
    await last.click();
    await panel.page.waitForURL(/configuration$/);
    await panel.close();
  });

  it.each([
    [
      'fr',
      'Vue d’ensemble',
      'Taux de hits',
      'tous les appelants partagent donc une réponse',
      '"http://" n’est pas une URL.',
    ],
    ['de', 'Übersicht', 'Hit-Rate', 'teilen sich alle Aufrufer eine Antwort', '"http://" ist keine URL.'],
    ['es', 'Resumen', 'Tasa de aciertos', 'todos los solicitantes comparten una respuesta', '"http://" no es una URL.'],
  ] as const)('speaks %s', async (language, tab, stat, warning, refusal) => {
    const panel = await openPanel(browser, server, { language, width: 1024, height: 768 });
    for (const view of VIEWS) {
      await panel.open(view);
      expect(await panel.page.locator('#main-content').innerText()).not.toMatch(/rest-cache\.\w/);
      if (view === 'entries') expect(await scrolledTo(panel)).toBe(0);
    }
    await panel.open('overview');
    await panel.page.getByRole('tab', { name: tab }).waitFor();
    await panel.page.getByText(stat).first().waitFor();
    // The server's own sentences as well.
    await panel.open('configuration');
    await panel.page.getByText(warning).first().waitFor();
    expect(panel.complaints).toEqual([]);
    await panel.open('explain?url=http://&as=anonymous');
    await panel.page.getByText(refusal).waitFor();
    await panel.close();
  });
});
