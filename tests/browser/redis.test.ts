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
  /** The number of hits and misses so far. */
  let counted = 0;

  const visit = async (server: PanelServer): Promise<string | null> => {
    const outcome = await server.visit('/api/tags');
    if (outcome === 'HIT' || outcome === 'MISS') counted += 1;
    return outcome;
  };

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
    // On a busy machine a server may not have reached Redis yet, and this test may be a retry, so each server gets as
    // many requests as it needs.
    for (let left = 3; left > 0; ) if ((await visit(one)) === 'HIT') left -= 1;
    for (let left = 9; left > 0; ) if ((await visit(other)) === 'HIT') left -= 1;
    await panel.open('overview');
    await page.getByText('Cache store: redis').waitFor();
    const shown = async (): Promise<string> => page.getByRole('main').innerText();
    await expect.poll(shown, { timeout: 60_000 }).toContain('Counted by all Strapi instances together.');
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
    await expect.poll(answered, { timeout: 30_000 }).toBe(counted);
  });

  it('away is said in red, since when, and goes by itself when Redis is back', async () => {
    const { page } = panel;
    await panel.open('overview');
    await redis.kill();
    await one.visit('/api/tags');
    const alert = page.getByRole('alert').filter({ hasText: 'The cache store (redis) is unavailable' });
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/Strapi has answered all requests itself since/);
    expect(await alert.innerText()).not.toContain('redis://');
    await page.getByText(/^Unavailable since/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const german = await openPanel(browser, one, { language: 'de' });
    await german.open('overview');
    await german.page
      .getByText(/Grund: Redis ist unter der Adresse in provider\.options nicht erreichbar \(\w+\)\./)
      .waitFor();
    await german.close();
    await panel.open('routes?route=/api/tags');
    await alert.waitFor();
    await page.getByText('unknown', { exact: true }).first().waitFor();
    await panel.open('entries');
    await page
      .getByText(/The cache store could not be reached: .*\./)
      .first()
      .waitFor();
    await panel.open('routes');
    await page.getByRole('button', { name: 'Purge Tag' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true }).click();
    await page
      .getByText(/The purge is queued/)
      .first()
      .waitFor();
    expect((await one.request('/api/tags')).status).toBe(200);
    await redis.start();
    await alert.waitFor({ state: 'hidden' });
    await panel.open('overview');
    await page.getByText('Available', { exact: true }).waitFor();
    await expect
      .poll(async () => (await one.visit('/api/tags'), one.visit('/api/tags')), { timeout: 20_000 })
      .toBe('HIT');
  });
});
