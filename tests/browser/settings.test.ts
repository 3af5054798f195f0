import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EntryPage, Metrics } from '../../admin/src/api/responses';
import { LONGEST_REASON } from '../../server/src/admin-api/acknowledgement';
import type { AdminSession } from '../application/admin-session';
import { hasChromium } from './chromium';
import { useOnePanel } from './one-panel';
import { axeViolations, settled, type Panel } from './panel';
import type { PanelServer } from './panel-server';
import { firstArticle, login, someTraffic } from './traffic';

describe.runIf(hasChromium())('Settings → REST Cache', () => {
  let server: PanelServer;
  let panel: Panel;
  let page: Page;
  let admin: AdminSession;

  useOnePanel((opened) => ({ server, panel, page, admin } = opened), true);

  beforeEach(async () => {
    await someTraffic(server);
  });
  afterEach(() => {
    expect(panel.complaints.splice(0)).toEqual([]);
  });

  const stat = (name: string) =>
    page
      .locator('dl > div', { has: page.locator('dt', { hasText: name }) })
      .locator('dd')
      .first();
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const notification = (text: RegExp) => page.getByText(text).first();

  it('is found in the settings menu and opens with the overview', async () => {
    await page.goto(`${server.origin}/admin/settings`);
    await page.getByRole('link', { name: 'REST Cache' }).click();
    await page.waitForURL(/\/settings\/rest-cache\/overview$/);
    expect(await page.getByRole('tab', { name: 'Overview' }).getAttribute('aria-selected')).toBe('true');
  });

  it('shows live numbers', async () => {
    await panel.open('overview');
    const hits = async () => Number(await stat('Hits').innerText());
    const before = await hits();
    expect(before).toBeGreaterThan(20);
    expect(await stat('Hit ratio').innerText()).toMatch(/^\d+(\.\d)?%$/);
    expect(await stat('Time saved').innerText()).toMatch(/\d+ (ms|sec|min)/);
    expect(await stat('Cached responses').innerText()).toMatch(/^\d+$/);
    expect(await page.getByRole('meter', { name: 'Memory' }).isVisible()).toBe(true);
    expect(await page.getByRole('img', { name: /Requests from .* hits, .* misses, .* bypassed/ }).isVisible()).toBe(
      true,
    );
    expect(await page.getByText('Available', { exact: true }).isVisible()).toBe(true);
    for (let visit = 0; visit < 7; visit += 1) await server.visit('/api/tags?sort=name');
    await expect.poll(hits, { timeout: 15_000 }).toBeGreaterThanOrEqual(before + 7);
  });

  it('asks no more often than every 5 s, only for counters, and not at all while nobody looks', async () => {
    await panel.open('overview');
    const asked: Array<{ path: string; at: number }> = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/rest-cache/')) asked.push({ path: pathname, at: Date.now() });
    });
    await page.waitForTimeout(11_000);
    expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/rest-cache/metrics', '/rest-cache/routes']));
    for (const path of ['/rest-cache/metrics', '/rest-cache/routes']) {
      const times = asked.filter((request) => request.path === path).map(({ at }) => at);
      expect(times.length).toBeLessThanOrEqual(3);
      for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThan(4500);
    }
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.waitForTimeout(500);
    asked.splice(0);
    await page.waitForTimeout(7000);
    expect(asked).toEqual([]);
  });

  it('empties everything, once confirmed', async () => {
    await panel.open('overview');
    const total = (await admin.get<EntryPage>('/rest-cache/entries')).body.pagination.total;
    await page.getByRole('button', { name: 'Purge everything' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(`This removes all ${total} cached responses.`).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await admin.get<EntryPage>('/rest-cache/entries')).body.pagination.total).toBe(total);
    await page.getByRole('button', { name: 'Purge everything' }).click();
    await dialog.getByRole('button', { name: 'Purge', exact: true }).click();
    await notification(/Purged \d+ cached responses/).waitFor();
    expect((await admin.get<EntryPage>('/rest-cache/entries')).body.pagination.total).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Purge everything' }).isDisabled()).toBe(true);
    await panel.open('entries');
    expect(await page.getByText('The cache is empty.').isVisible()).toBe(true);
  });

  it('lists entries by page, search, type and order', async () => {
    await panel.open('entries');
    const rows = page.getByRole('row');
    expect(await rows.count()).toBe(21);
    await page.getByRole('button', { name: 'Sort by Size' }).click();
    await page.waitForURL(/sort=size%3Aasc/);
    await settled(page);
    expect(await page.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort')).toBe('ascending');
    await page.getByRole('link', { name: /page 2/i }).click();
    await page.waitForURL(/page=2/);
    await settled(page);
    expect(await rows.count()).toBeGreaterThan(1);
    await page
      .getByRole('searchbox', { name: 'Search by URL' })
      .or(page.locator('input[name=search]'))
      .first()
      .fill('populate=category');
    await page.keyboard.press('Enter');
    await page.waitForURL(/search=populate/);
    // While the request is under way, the list is still the earlier one.
    await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(2);
    expect(await rows.nth(1).innerText()).toMatch(/\/api\/articles\?pagination\[pageSize\]=5&populate=category\n/);
    expect(await page.locator('#main-content').innerText()).not.toContain('&&');
  });

  it('finds the entry of a pasted URL, and opens it by a click on its row', async () => {
    await panel.open('entries');
    const search = page.locator('input[name=search]').first();
    await search.fill(`${server.origin}/api/articles?populate=category&pagination%5BpageSize%5D=5`);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('row').count(), { timeout: 15_000 }).toBe(2);
    await row('populate=category').getByText('Article', { exact: true }).click();
    await page.getByRole('dialog').getByText('Computed from').waitFor();
    await page.keyboard.press('Escape');
  });

  it('names callers, filters by them, and purges what begins with a path', async () => {
    await panel.open('entries');
    await page.getByRole('combobox', { name: 'Caller' }).click();
    await page.getByRole('option', { name: 'User alice' }).click();
    await page.waitForURL(/caller=up%3A\d+/);
    await expect.poll(() => page.getByRole('row').count(), { timeout: 15_000 }).toBe(2);
    expect(await row('/api/orders').innerText()).toContain('User alice');
    await page.getByRole('combobox', { name: 'Caller' }).click();
    await page.getByRole('option', { name: 'Everybody' }).click();
    await expect.poll(() => row('/api/orders').count(), { timeout: 15_000 }).toBe(0);
    // The filter is told even if nothing is left of what it has found.
    await panel.open('entries?caller=up%3A4321');
    await page.getByText('No cached response matches.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Caller' }).innerText()).toBe('User 4321');
    await panel.open('entries?search=%2Fapi%2Fcat*');
    await page.getByRole('button', { name: 'Purge all 2 found' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true }).click();
    await notification(/Purged 2 cached responses/).waitFor();
    expect(await server.visit('/api/tags?sort=name')).toBe('HIT');
  });

  it('tells the numbers of each bar of the chart', async () => {
    await panel.open('overview');
    const told = await page.locator('svg[role=img] g title').last().textContent();
    expect(told).toMatch(/^Requests from .* to .*: \d+ hits, \d+ misses, \d+ bypassed$/);
    await page.getByRole('combobox', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Last 7 days' }).click();
    await page.getByText('Requests in the last 7 days').waitFor();
    expect(await page.locator('svg[role=img] g').count()).toBe(28);
    expect(await page.locator('svg[role=img] g title').last().textContent()).toMatch(/^Requests from \w{3}, \w+ \w+, /);
  });

  it('keeps the question of Explain between views', async () => {
    await panel.open('explain');
    await page.getByLabel('URL').fill('/api/tags?sort=name');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Answered from the cache').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('tab', { name: 'Explain' }).click();
    expect(await page.getByLabel('URL').inputValue()).toBe('/api/tags?sort=name');
    await page.getByText('Answered from the cache').waitFor();
  });

  it('shows an entry with all it was made from, explains it, and purges it alone', async () => {
    await panel.open('entries?search=populate%3Dcategory');
    await page.getByRole('button', { name: /^Show .*populate=category/ }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Computed from').waitFor();
    await drawer.getByText('Article', { exact: true }).first().waitFor();
    await drawer.getByText('Category', { exact: true }).first().waitFor();
    await drawer.getByRole('button', { name: /Headers stored/ }).click();
    await drawer.getByText('content-type: application/json').waitFor();
    await drawer.getByRole('button', { name: /^Tags/ }).click();
    await drawer.getByText('type:api::article.article').first().waitFor();
    await drawer.getByRole('button', { name: 'Explain' }).click();
    await page.waitForURL(/\/explain\?url=/);
    await page.getByText('Answered from the cache').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: /^Show .*populate=category/ }).click();
    await drawer.getByRole('button', { name: 'Purge this response' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true }).click();
    await notification(/Purged 1 cached response/).waitFor();
    await page.getByText('No cached response matches.').waitFor();
  });

  describe('explains', () => {
    const ask = async (url: string): Promise<void> => {
      await panel.open('explain');
      await page.getByLabel('URL').fill(url);
      await page.getByRole('button', { name: 'Explain' }).click();
    };
    const answer = (text: string) => page.locator('[aria-live=polite]').getByText(text).first().waitFor();

    it('a hit, with its key', async () => {
      await ask(`${server.origin}/api/categories`);
      await answer('Answered from the cache');
      await answer('/api/categories');
      expect(await page.locator('#main-content').innerText()).not.toContain('&&');
      await answer('Shared across callers');
    });

    it('a request that differs from a cached one in a tracking parameter alone', async () => {
      await ask('/api/tags?sort=name&utm_source=news');
      await answer('An earlier request differed only in utm_source. The response to /api/tags?sort=name is cached.');
      await answer('keys: { useQueryParams: [');
    });

    it('a route that is not there or not configured, with the nearest', async () => {
      await ask('/api/categorys');
      await answer('The cache is not asked');
      await answer('Did you mean');
      await ask('/api/homepage');
      await answer('is not configured to be cached');
    });

    it('a GraphQL query with variables', async () => {
      const operation = {
        query: 'query Tags($n: Int) {\n  tags(pagination: { limit: $n }) {\n    name\n  }\n}',
        variables: { n: 2 },
      };
      for (const _time of [1, 2])
        await server.request('/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(operation),
        });
      await panel.open('explain');
      await page.getByRole('button', { name: 'GraphQL query' }).click();
      await page.getByRole('textbox', { name: 'Query' }).fill(operation.query);
      await page.getByLabel('Variables (JSON)').fill('{ n');
      await page.getByText('The variables have to be a JSON object.').waitFor();
      expect(await page.getByRole('button', { name: 'Explain' }).isDisabled()).toBe(true);
      await page.getByLabel('Variables (JSON)').fill(JSON.stringify(operation.variables));
      await page.getByRole('button', { name: 'Explain' }).click();
      await answer('Answered from the cache');
    });

    it('a request as a logged-in user, and one that bypasses', async () => {
      await server.visit('/api/orders', { authorization: `Bearer ${await login(server, 'bob@example.com')}` });
      await panel.open('explain');
      await page.getByLabel('URL').fill('/api/orders');
      await page.getByRole('combobox', { name: 'Caller' }).click();
      await page.getByRole('option', { name: 'A logged-in user' }).click();
      await page.getByRole('combobox', { name: /^User/ }).click();
      await page.keyboard.type('bo');
      await page.getByRole('option', { name: 'bob' }).click();
      await page.getByRole('button', { name: 'Explain' }).click();
      await answer('Answered from the cache');
      await answer('Keyed per caller');
      await page.getByLabel('URL').fill('/api/tags');
      await page.getByRole('button', { name: 'Explain' }).click();
      await answer('Bypasses the cache');
      await answer('hitpass');
    });

    it('what removed an entry', async () => {
      const { documentId, title } = await firstArticle(server);
      const url = `/api/articles/${documentId}`;
      await server.visit(url);
      await admin.put(`/content-manager/collection-types/api::article.article/${documentId}`, { title: `${title}.` });
      await admin.post(`/content-manager/collection-types/api::article.article/${documentId}/actions/publish`, {});
      await ask(url);
      await answer('was invalidated on');
      await answer('Admin');
    });
  });

  it('says beside a single type what contains it, and purges it from its menu', async () => {
    await server.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ homepage { documentId } }' }),
    });
    await page.goto(`${server.origin}/admin/content-manager/single-types/api::homepage.homepage`);
    await page.getByText('1 cached response contains this entry.').waitFor();
    await page.getByRole('button', { name: 'More actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Purge from cache' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true }).click();
    await notification(/Purged 1 cached response/).waitFor();
  });

  it('finds responses of GraphQL by type, and opens their settings', async () => {
    await server.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ homepage { documentId } }' }),
    });
    await panel.open('entries?contentType=plugin::graphql');
    expect(await page.getByRole('combobox', { name: 'Content type' }).innerText()).toBe('GraphQL');
    expect(await page.getByRole('row').nth(1).innerText()).toContain('GraphQL, /graphql { homepage }');
    await panel.open('configuration?contentType=plugin::graphql');
    await page.getByRole('button', { name: 'GraphQL' }).waitFor();
    expect(await page.getByRole('button', { name: 'GraphQL' }).getAttribute('aria-expanded')).toBe('true');
  });

  it('tells who changed and purged what', async () => {
    await admin.post('/rest-cache/purge', { contentType: 'api::tag.tag' });
    const { documentId, title } = await firstArticle(server);
    await admin.put(`/content-manager/collection-types/api::article.article/${documentId}`, { title: `${title}!` });
    await admin.post(`/content-manager/collection-types/api::article.article/${documentId}/actions/publish`, {});
    await panel.open('activity');
    await row('All of Tag').first().waitFor();
    // The entries are counted while the store frees them, so the number appears with the next poll.
    await expect
      .poll(() => row('All of Tag').first().innerText(), { timeout: 15_000 })
      .toMatch(/Purge\s*All of Tag\s*Admin .*\s+1$/i);
    const change = row(`Article ${title}!`).first();
    await change.waitFor();
    expect(await change.innerText()).toMatch(/Admin .*\d+$/s);
    await change.getByRole('link', { name: `${title}!` }).click();
    await page.waitForURL(new RegExp(`/content-manager/collection-types/api::article.article/${documentId}`));
  });

  it('shows the configuration with its warnings, and copies it', async () => {
    await panel.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    await panel.open('configuration');
    await page.getByText('Configuration warning').first().waitFor();
    expect(await page.getByText('"api::category.category": hitpass is false').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Copy path' }).first().click();
    await notification(/Copied/).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'node_modules/strapi-plugin-response-cache/docs/signed-in-users.md#hitpass-false-alone-is-dangerous',
    );
    await settled(page);
    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    await notification(/Copied/).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as { contentTypes: unknown[] };
    expect(copied.contentTypes).toHaveLength(5);
    expect(JSON.stringify(copied)).not.toContain('provider');
  });

  it('acknowledges a warning with a reason and takes it back, by keyboard alone', async () => {
    const { keyboard } = page;
    await panel.open('configuration');
    const button = page.getByRole('button', { name: 'Acknowledge' });
    await button.focus();
    await keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await reason.waitFor();
    expect(await dialog.getByRole('button', { name: 'Acknowledge' }).isDisabled()).toBe(true);
    expect(await reason.getAttribute('maxlength')).toBe(String(LONGEST_REASON));
    expect(await reason.evaluate((element) => element === document.activeElement)).toBe(true);
    await keyboard.type(' ');
    await keyboard.press('Enter');
    expect(await dialog.isVisible()).toBe(true);
    await keyboard.type('Categories are the same for everybody.');
    await keyboard.press('Enter');
    const acknowledged = page.getByRole('status').filter({ hasText: 'Acknowledged warning' });
    await acknowledged.getByText(/^Acknowledged by Admin .+ on .+: Categories are the same for everybody\.$/).waitFor();
    const undo = acknowledged.getByRole('button', { name: 'Undo' });
    await expect.poll(() => undo.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await panel.open('overview');
    expect(await page.getByText('The configuration has a warning').count()).toBe(0);

    await panel.open('configuration');
    await undo.focus();
    await keyboard.press('Enter');
    await button.waitFor();
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await panel.open('overview');
    await page.getByText('The configuration has a warning').waitFor();
  });

  it('keeps what another admin has acknowledged while the dialog was open', async () => {
    const warningOf = async () => (await admin.get<Metrics>('/rest-cache/metrics')).body.warnings[0];
    await panel.open('configuration');
    await page.getByRole('button', { name: 'Acknowledge' }).first().click();
    await page.getByRole('alertdialog').getByRole('textbox', { name: 'Reason' }).waitFor();
    const warning = (await warningOf())?.text;
    await admin.post('/rest-cache/warnings', { warning, reason: 'It is known.' });
    // Behind the dialog, the next poll shows it.
    await page.getByText('Acknowledged warning').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await settled(page);
    expect((await warningOf())?.acknowledged?.reason).toBe('It is known.');
    await admin.post('/rest-cache/warnings', { warning, reason: null });
  });
});
