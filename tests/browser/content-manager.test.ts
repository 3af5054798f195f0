import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { AdminSession } from '../application/admin-session';
import { hasChromium } from './chromium';
import { useOnePanel } from './one-panel';
import { axeViolations, settled, type Panel } from './panel';
import type { PanelServer } from './panel-server';
import { firstArticle } from './traffic';

const LIST = '/admin/content-manager/collection-types';

describe.runIf(hasChromium())('The content manager and the home page', () => {
  let server: PanelServer;
  let panel: Panel;
  let page: Page;
  let admin: AdminSession;

  useOnePanel((opened) => ({ server, panel, page, admin } = opened));

  const visitTwo = async (): Promise<string> => {
    const { documentId } = await firstArticle(server);
    await admin.post('/rest-cache/reset', {});
    await server.visit(`/api/articles/${documentId}`);
    await server.visit('/api/articles?sort=title&pagination[pageSize]=1');
    return documentId;
  };

  it('say beside a document how many cached responses contain it', async () => {
    const documentId = await visitTwo();
    await page.goto(`${server.origin}${LIST}/api::article.article/${documentId}`);
    await page.getByText('In cache').waitFor();
    await page.getByText(/2 cached responses contain this entry. The oldest is .* old\./).waitFor();
    expect(await axeViolations(page, '#rest-cache-panel')).toEqual([]);
  });

  it('count anew once the document is published', async () => {
    const documentId = await visitTwo();
    await page.goto(`${server.origin}${LIST}/api::article.article/${documentId}`);
    await page.getByText('2 cached responses contain').waitFor();
    await page.locator('input[name=title]').fill('A title for visitors');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('No cached response contains this entry.').waitFor();
  });

  it('purge a document from its menu, once confirmed', async () => {
    const documentId = await visitTwo();
    await page.goto(`${server.origin}${LIST}/api::article.article/${documentId}`);
    await page.getByText('2 cached responses contain').waitFor();
    await page.getByRole('button', { name: 'More actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Purge from cache' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(/This removes 2 cached responses/).waitFor();
    await dialog.getByRole('button', { name: 'Purge', exact: true }).click();
    await page
      .getByText(/Purged 2 cached responses/)
      .first()
      .waitFor();
    await page.getByText('No cached response contains this entry.').waitFor();
    expect(await server.visit(`/api/articles/${documentId}`)).toBe('MISS');
  });

  it('purge the documents selected in the list', async () => {
    await visitTwo();
    const purge = page.getByRole('button', { name: 'Purge from cache' });
    // The list loads twice. At the second time, it may lose the selection made after the first.
    await expect
      .poll(
        async () => {
          await page.goto(`${server.origin}${LIST}/api::article.article?page=1&pageSize=10&sort=title:ASC`);
          await settled(page);
          await page.getByRole('checkbox', { name: /Select all/ }).setChecked(true);
          await purge.waitFor({ timeout: 15_000 }).catch(() => undefined);
          await page.waitForTimeout(1000);
          return purge.isVisible();
        },
        { timeout: 90_000, interval: 100 },
      )
      .toBe(true);
    await purge.click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(/This removes 2 cached responses, for these 10 entries/).waitFor();
    await dialog
      .getByText('Copies in browsers, and in CDNs that are not purged with the cache, stay until they expire.')
      .waitFor();
    await dialog.getByRole('button', { name: 'Purge', exact: true }).click();
    await page
      .getByText(/Purged 2 cached responses/)
      .first()
      .waitFor();
  }, 120_000);

  it('purge the whole type above its list, by keyboard alone', async () => {
    await visitTwo();
    await server.visit('/api/tags');
    await page.goto(`${server.origin}${LIST}/api::article.article`);
    const purge = page.getByRole('button', { name: 'Purge Article from cache' });
    await purge.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('This removes 2 cached responses that contain Article.').waitFor();
    await dialog.getByRole('button', { name: 'Purge', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page
      .getByText(/Purged 2 cached responses/)
      .first()
      .waitFor();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => purge.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await server.visit('/api/tags')).toBe('HIT');
  });

  it('offer nothing for a type that is not cached', async () => {
    await page.goto(`${server.origin}${LIST}/api::writer.editor`);
    await settled(page);
    expect(await page.getByRole('button', { name: /^Purge/ }).count()).toBe(0);
    await page.getByRole('row').nth(1).click();
    await page.waitForURL(/api::writer\.editor\/\w+/);
    await settled(page);
    expect(await page.getByText('In cache').count()).toBe(0);
    await page.getByRole('button', { name: 'More actions' }).first().click();
    expect(await page.getByRole('menuitem', { name: 'Purge from cache' }).count()).toBe(0);
  });

  it('show on the home page how well the cache does', async () => {
    await server.visit('/api/tags');
    await server.visit('/api/tags');
    await page.goto(`${server.origin}/admin`);
    await page.getByText('Requests in the last hour').waitFor();
    await page.getByText('Hit ratio').waitFor();
    await page.getByRole('link', { name: 'Open REST Cache' }).click();
    await page.waitForURL(/rest-cache\/overview/);
    expect(panel.complaints).toEqual([]);
  });
});
