import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn, logInRestricted, type AdminSession } from '../application/admin-session';
import { hasChromium, launchChromium } from './chromium';
import { openPanel, settled } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { EVERY_BADGE, firstArticle, someTraffic } from './traffic';

const ARTICLES = '/admin/content-manager/collection-types/api::article.article';

/** The permission that an editor needs to open an article. */
const READ_ARTICLES = {
  action: 'plugin::content-manager.explorer.read',
  subject: 'api::article.article',
  properties: { fields: ['title', 'slug'], locales: ['en', 'fr', 'de'] },
  conditions: [],
};

describe.runIf(hasChromium())('What a role may not do', () => {
  let server: PanelServer;
  let browser: Browser;
  let admin: AdminSession;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPanelServer(EVERY_BADGE), launchChromium()]);
    await someTraffic(server);
    admin = await logIn(server);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('is not shown: a reader sees every view and no purge button', async () => {
    const { email } = await logInRestricted(server, admin, ['cache.read-strategy'], [READ_ARTICLES]);
    const panel = await openPanel(browser, server, { email });
    const { page } = panel;
    for (const view of ['overview', 'routes', 'entries', 'explain', 'activity', 'configuration']) {
      await panel.open(view);
      expect(await page.getByRole('button', { name: /purge/i }).count()).toBe(0);
    }
    await panel.open('entries?search=populate');
    await page
      .getByRole('button', { name: /^Show / })
      .first()
      .click();
    await page.getByRole('dialog').getByText('Computed from').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: /purge/i }).count()).toBe(0);
    // The provider's settings require another permission.
    await panel.open('configuration');
    await page.getByText('Max age').first().waitFor();
    expect(await page.getByText('Time limit for the store (getTimeout)').count()).toBe(0);
    const { documentId } = await firstArticle(server);
    await page.goto(`${server.origin}${ARTICLES}/${documentId}`);
    await settled(page);
    expect(await page.getByText('In cache').count()).toBe(0);
    expect(panel.complaints).toEqual([]);
    await panel.close();
  });

  it('is not shown: an editor who may purge finds that in the content manager, and no settings', async () => {
    const { email } = await logInRestricted(server, admin, ['cache.purge'], [READ_ARTICLES]);
    const panel = await openPanel(browser, server, { email });
    const { page } = panel;
    const { documentId } = await firstArticle(server);
    await page.goto(`${server.origin}${ARTICLES}/${documentId}`);
    await page.getByText(/responses? contains? this entry/).waitFor();
    await page.goto(`${server.origin}/admin/settings`);
    await settled(page);
    expect(await page.getByRole('link', { name: 'REST Cache' }).count()).toBe(0);
    await page.goto(`${server.origin}/admin/settings/rest-cache/overview`);
    await page.getByText("You don't have the permissions to access that content").waitFor();
    await panel.close();
  });

  it('is explained when the server refuses what the panel still offers', async () => {
    const panel = await openPanel(browser, server);
    const { page } = panel;
    await panel.open('routes');
    await page.route('**/rest-cache/purge', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/json',
        body: JSON.stringify({ data: null, error: { status: 403, name: 'ForbiddenError', message: 'Forbidden' } }),
      }),
    );
    await page.getByRole('button', { name: 'Purge Category' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true }).click();
    await page
      .getByText(/Your role does not allow this/)
      .first()
      .waitFor();
    await panel.close();
  });

  it('loses no choice: what was selected stays so, and an opened response stays open', async () => {
    const panel = await openPanel(browser, server);
    const { page } = panel;
    await panel.open('entries');
    await page.route('**/rest-cache/purge-entries', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":{"status":500}}' }),
    );
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true });
    await page.getByRole('row').nth(1).getByRole('checkbox').click();
    await page.getByRole('button', { name: 'Purge 1 selected' }).click();
    await confirm.click();
    await confirm.waitFor({ state: 'hidden' });
    expect(await page.getByRole('button', { name: 'Purge 1 selected' }).isVisible()).toBe(true);
    await page.getByRole('row').nth(1).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Purge this response' }).click();
    await confirm.click();
    await confirm.waitFor({ state: 'hidden' });
    expect(await page.getByRole('dialog').getByText('Computed from').isVisible()).toBe(true);
    await panel.close();
  });

  it('is asked for again: an expired session leads to the login, not to an error', async () => {
    const panel = await openPanel(browser, server);
    const { page, context } = panel;
    await panel.open('overview');
    await page.route('**/admin/access-token', (route) =>
      route.fulfill({ status: 401, contentType: 'application/json', body: '{}' }),
    );
    await context.addCookies([{ name: 'jwtToken', value: 'expired', url: server.origin }]);
    await page.evaluate(() => localStorage.removeItem('jwtToken'));
    await page.waitForURL(/\/admin\/auth\/login/, { timeout: 20_000 });
    await panel.close();
  });
});
