import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingRedis, RedisServer } from '../redis/redis-server';
import { hasChromium, launchChromium } from './chromium';
import { axeViolations, openPanel, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { EVERY_BADGE } from './traffic';

describe.runIf(hasChromium() && missingRedis === undefined)('With Redis', () => {
  let redis: RedisServer;
  let one: PanelServer;
  let other: PanelServer;
  let browser: Browser;
  let panel: Panel;

  beforeAll(async () => {
    redis = await RedisServer.start();
    const restCache = { ...EVERY_BADGE, provider: { name: 'redis', options: { connection: redis.url } } };
    [one, other, browser] = await Promise.all([
      startPanelServer(restCache),
      startPanelServer(restCache),
      launchChromium(),
    ]);
    panel = await openPanel(browser, one);
  });
  afterAll(async () => {
    await browser?.close();
    await one?.stop();
    await other?.stop();
    await redis?.end();
  });

  it('the panel adds up what all instances counted', async () => {
    const { page } = panel;
    for (let visit = 0; visit < 3; visit += 1) await one.visit('/api/tags');
    for (let visit = 0; visit < 9; visit += 1) await other.visit('/api/tags');
    await panel.open('overview');
    await page.getByText('Store: redis').waitFor();
    await page.getByText('Counted by all instances of Strapi together.').waitFor();
    const answered = async (): Promise<number> => {
      const values = await Promise.all(
        ['Hits', 'Misses'].map((name) =>
          page
            .locator('dl > div', { has: page.locator('dt', { hasText: name }) })
            .locator('dd')
            .first()
            .innerText(),
        ),
      );
      return values.reduce((sum, value) => sum + Number(value), 0);
    };
    await expect.poll(answered, { timeout: 30_000 }).toBe(12);
  });

  it('away is said in red, since when, and goes by itself when Redis is back', async () => {
    const { page } = panel;
    await panel.open('overview');
    await redis.kill();
    await one.visit('/api/tags');
    const alert = page.getByRole('alert').filter({ hasText: 'redis cannot be reached' });
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/Since .* all requests are answered by Strapi itself/);
    expect(await alert.innerText()).not.toContain('redis://');
    await page.getByText(/^Away since/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await panel.open('content-types');
    await alert.waitFor();
    expect((await one.request('/api/tags')).status).toBe(200);
    await redis.start();
    await alert.waitFor({ state: 'hidden' });
    await panel.open('overview');
    await page.getByText('Available').waitFor();
    await expect
      .poll(async () => (await one.visit('/api/tags'), one.visit('/api/tags')), { timeout: 20_000 })
      .toBe('HIT');
  });
});
