import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from './chromium';
import { openPanel, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { login } from './traffic';

const BY_ROLE = { hitpass: false, keys: { useAuth: 'role' } } as const;

describe.runIf(hasChromium())('Where users of a role share', () => {
  let server: PanelServer;
  let browser: Browser;
  let panel: Panel;
  let page: Page;

  beforeAll(async () => {
    const contentTypes = [
      { contentType: 'api::category.category', ...BY_ROLE },
      { contentType: 'api::order.order', ...BY_ROLE },
    ];
    const restCache = { strategy: { enableXCacheHeaders: true, contentTypes } };
    [server, browser] = await Promise.all([startPanelServer(restCache), launchChromium()]);
    const caches: Array<string | null> = [];
    for (const name of ['alice', 'bob']) {
      const authorization = `Bearer ${await login(server, `${name}@example.com`)}`;
      for (const path of ['/api/categories', '/api/orders']) caches.push(await server.visit(path, { authorization }));
    }
    // Handlers of orders look at who is asking.
    expect(caches).toEqual(['MISS', 'MISS', 'HIT', 'MISS']);
    panel = await openPanel(browser, server);
    page = panel.page;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const picture = async (name: string): Promise<void> => {
    const folder = process.env.REST_CACHE_PICTURES;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  it('the table of routes marks them, and says which are per caller after all, and why', async () => {
    await panel.open('routes');
    const type = (uid: string) => page.locator('tbody', { has: page.getByRole('rowheader').filter({ hasText: uid }) });
    for (const uid of ['api::category.category', 'api::order.order'])
      expect(await type(uid).getByRole('link', { name: 'Keyed per role' }).first().isVisible()).toBe(true);
    const reason = /One per caller, because the handler, or code in front of it, has read ctx\.state\.user/;
    await type('api::category.category').getByRole('button', { name: '/api/categories', exact: true }).click();
    await picture('role-first');
    expect(await page.getByText(reason).count()).toBe(0);
    await type('api::order.order').getByRole('button', { name: '/api/orders', exact: true }).click();
    await page.getByText(reason).waitFor();
    await picture('role-routes');
  });

  it('the list of responses names the role, and the user where one is per caller', async () => {
    await panel.open('entries');
    await page.getByText('Users of the role Authenticated').first().waitFor();
    await page.getByText('alice').first().waitFor();
    await picture('role-entries');
    expect(panel.complaints).toEqual([]);
  });
});
