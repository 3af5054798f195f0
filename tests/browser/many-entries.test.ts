import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from './chromium';
import { openPanel, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { EVERY_BADGE } from './traffic';

const ENTRIES = 10_000;
const AT_ONCE = 25;

/** The whole way on a phone's width, and without a mouse: every control is reached by Tab or by an arrow. */
describe.runIf(hasChromium())('Ten thousand entries, 390 pixels, by keyboard alone', () => {
  let server: PanelServer;
  let browser: Browser;
  let panel: Panel;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPanelServer(EVERY_BADGE), launchChromium()]);
    let next = 0;
    const visitor = async (): Promise<void> => {
      while (next < ENTRIES) await server.visit(`/api/tags?filters[id][$eq]=${(next += 1)}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, visitor));
    panel = await openPanel(browser, server, { width: 390, height: 844 });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const isFocused = (control: Locator): Promise<boolean> =>
    control.evaluate((element) => element === document.activeElement);

  /** Presses Tab until the focus is there; in a table Strapi's own keys lead on, Tab leads to its first cell. */
  const tabTo = async (control: Locator, row?: number): Promise<void> => {
    const { keyboard } = panel.page;
    for (let presses = 0; presses < 60; presses += 1) {
      await keyboard.press('Tab');
      if (await isFocused(control)) return;
      if (row !== undefined && (await panel.page.locator('table :focus').count()) > 0) break;
    }
    for (let presses = 0; presses < (row ?? 0); presses += 1) await keyboard.press('ArrowDown');
    for (let presses = 0; presses < 12; presses += 1) {
      if (await isFocused(control)) return;
      await keyboard.press('ArrowRight');
    }
    throw new Error(`the focus never reaches ${String(control)}`);
  };

  it('are counted and purged with their type', async () => {
    const { page } = panel;
    await panel.open('content-types');
    await tabTo(page.getByRole('button', { name: 'Purge Tag' }), 5);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('This removes 10,000 cached responses that contain Tag.').waitFor();
    await tabTo(dialog.getByRole('button', { name: 'Purge', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('Purged 10,000 cached responses').first().waitFor();
    expect(panel.complaints).toEqual([]);
  }, 120_000);
});
