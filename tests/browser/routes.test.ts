import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium } from './chromium';
import { useOnePanel } from './one-panel';
import { settled, type Panel } from './panel';
import type { PanelServer } from './panel-server';
import { someTraffic } from './traffic';

describe.runIf(hasChromium())('The table of routes', () => {
  let server: PanelServer;
  let panel: Panel;
  let page: Page;

  useOnePanel((opened) => ({ server, panel, page } = opened));

  beforeEach(async () => {
    await someTraffic(server);
  });
  afterEach(() => {
    expect(panel.complaints.splice(0)).toEqual([]);
  });

  const notification = (text: RegExp) => page.getByText(text).first();

  it('marks who may be served whose response', async () => {
    await panel.open('routes');
    const type = (uid: string) => page.locator('tbody', { has: page.getByRole('rowheader').filter({ hasText: uid }) });
    const badge = (uid: string, text: string) => type(uid).getByRole('link', { name: text }).first();
    expect(await badge('api::article.article', 'Public only').isVisible()).toBe(true);
    expect(await badge('api::category.category', 'Shared across callers').isVisible()).toBe(true);
    expect(await badge('api::order.order', 'Keyed per caller').isVisible()).toBe(true);
    // One of its routes is keyed per caller, and the other is marked as public only.
    expect(await badge('api::author.author', 'Keyed per caller').isVisible()).toBe(true);
    await type('api::author.author').getByRole('button', { name: '/api/authors', exact: true }).click();
    expect(await badge('api::author.author', 'Public only').isVisible()).toBe(true);
    const differs = 'Some of its routes are configured differently.';
    expect(await type('api::author.author').getByText(differs).isVisible()).toBe(true);
    expect(await type('api::order.order').getByText(differs).count()).toBe(0);
    await type('api::category.category').getByRole('button', { name: '/api/categories', exact: true }).click();
    expect(await type('api::category.category').innerText()).toContain('5 min');
    expect(await type('api::article.article').innerText()).toContain('Also invalidated by changes to:');
    const shared = badge('api::category.category', 'Shared across callers');
    await shared.focus();
    await page.getByRole('tooltip', { name: /all callers share the response. Unsafe/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('GET /api/categories', { exact: true }).waitFor();
  });

  it('says how many responses a purge removes, before and after, and then has nothing to purge', async () => {
    await panel.open('routes');
    const button = page.getByRole('button', { name: 'Purge Category' });
    await button.click();
    const dialog = page.getByRole('alertdialog');
    // The count includes articles that show their category.
    const counted = await dialog.getByText(/This removes \d+ cached responses that contain Category\./).innerText();
    const count = /\d+/.exec(counted)?.[0];
    expect(Number(count)).toBeGreaterThanOrEqual(2);
    await dialog.getByRole('button', { name: 'Purge', exact: true }).click();
    await notification(new RegExp(`Purged ${count} cached responses`)).waitFor();
    await expect.poll(() => button.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Purge Article' }).isDisabled()).toBe(false);
    expect(await server.visit('/api/categories')).toBe('MISS');
    expect(await server.visit('/api/tags?sort=name')).toBe('HIT');
  });

  it('leads from a route to its responses, from a response to its route, and copies its URL', async () => {
    await panel.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    await panel.open('routes?route=/api/categories');
    await page.getByRole('link', { name: '2 cached responses' }).click();
    await page.waitForURL(/entries\?route=%2Fapi%2Fcategories/);
    await expect.poll(() => page.getByRole('row').count(), { timeout: 15_000 }).toBe(3);
    await page.getByRole('button', { name: /^Show .*populate=\*/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Copy URL' }).click();
    await notification(/Copied/).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `${server.origin}/api/categories?populate=*`,
    );
    await drawer.getByRole('link', { name: '/api/categories' }).click();
    await page.waitForURL(/entries\?route=%2Fapi%2Fcategories/);
    expect(await drawer.count()).toBe(0);
  });

  it('sorts and filters routes, folds those without requests, and says why each of the others missed', async () => {
    await server.visit('/api/articles?sort=title&utm_source=a');
    await server.visit('/api/articles?sort=title&utm_source=b');
    await panel.open('routes');
    const route = (path: string) => page.getByRole('button', { name: path, exact: true });
    const spent = async (): Promise<number[]> =>
      page
        .getByRole('meter', { name: /in the time spent/ })
        .evaluateAll((meters) => meters.map((meter) => Number(meter.getAttribute('aria-valuenow'))));
    expect(await page.getByRole('columnheader', { name: 'Time spent' }).getAttribute('aria-sort')).toBe('descending');
    const ofArticles = (await spent()).slice(0, 2);
    expect(ofArticles).toEqual([...ofArticles].sort((one, other) => other - one));
    await page.getByRole('button', { name: 'Route', exact: true }).click();
    await page.waitForURL(/sort=route%3Aasc/);
    const types = await page.getByRole('rowheader').allInnerTexts();
    expect(types.map((text) => text.split(/\s/)[0])).toEqual(['Article', 'Author', 'Category', 'Order', 'Tag']);

    expect(await route('/api/tags/:id').count()).toBe(0);
    await page
      .getByRole('button', { name: /without requests/ })
      .last()
      .click();
    await route('/api/tags/:id').waitFor();
    await page.locator('input[name=filter]').fill('categ');
    await expect.poll(() => route('/api/tags').count()).toBe(0);
    expect(await route('/api/categories/:id').isVisible()).toBe(true);
    await page.locator('input[name=filter]').fill('');

    await route('/api/articles').click();
    const reasons = page.getByRole('list', { name: 'Requests of /api/articles and the reasons' });
    const fresh = reasons
      .getByRole('listitem')
      .filter({ hasText: 'a new value of the query parameter utm_source' })
      .last();
    await fresh.getByText("keys: { useQueryParams: ['fields', ").waitFor();
    await reasons.getByText(/^Bypassed: \d+$/).waitFor();
    await route('/api/visits').click();
    const visits = page.getByRole('list', { name: 'Requests of /api/visits and the reasons' });
    // All its misses, and all of them were not cached.
    expect(await visits.innerText()).toMatch(
      /Hits: 0\s+Misses: (\d+)\s+Not cached: \1\s+\1: the response sets a cookie/,
    );
    await page.getByText('Nowhere: no response of this route was cached').waitFor();
    await reasons
      .getByRole('listitem')
      .filter({ hasText: /^\d+: Authorization header or cookie/ })
      .getByRole('link', { name: 'Explain' })
      .click();
    await page.locator('[aria-live=polite]').getByText('Bypasses the cache').waitFor();
    await panel.open('routes?route=/api/articles');
    await page.getByRole('link', { name: /\d+ cached responses/ }).click();
    await page.waitForURL(/entries\?route=%2Fapi%2Farticles/);
    await page.getByRole('row').nth(5).waitFor();
    await settled(page);
    expect(await page.locator('td', { hasText: '/api/tags' }).count()).toBe(0);
  });

  it('leads from the overview to the routes that cost most, and keeps the period', async () => {
    await panel.open('overview');
    await page.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Last 24 hours' }).click();
    const costly = page.locator('section', { hasText: 'Routes that take Strapi the most time' }).getByRole('listitem');
    expect(await costly.count()).toBe(3);
    expect(await costly.first().innerText()).toMatch(/^\/api\/\S+\s+.*% of the time spent\)\s+\d+ requests?: /);
    await costly.first().getByRole('link').click();
    await page.waitForURL(/routes\?route=/);
    await page.getByRole('list', { name: /^Requests of/ }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Period' }).innerText()).toBe('Last 24 hours');
  });
});
