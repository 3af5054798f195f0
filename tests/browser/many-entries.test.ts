import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from './chromium';
import { openPanel, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { EVERY_BADGE } from './traffic';

/** A hundred pages. What the panel costs where far more are cached, `node tests/bench/panel.mjs` measures. */
const ENTRIES = 2000;
const AT_ONCE = 25;

/** Where a row has the fewest columns. Wider screens: settings.test.ts, with a mouse. */
const PHONE = [390, 844] as const;

/** Uses no mouse at all: every control is reached by Tab or by an arrow key. */
describe.runIf(hasChromium())('Two thousand cached responses, by keyboard alone', () => {
  let server: PanelServer;
  let browser: Browser;
  let panel: Panel;
  let page: Page;
  let left = ENTRIES;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPanelServer(EVERY_BADGE), launchChromium()]);
    let next = 0;
    const visitor = async (): Promise<void> => {
      while (next < ENTRIES) await server.visit(`/api/tags?filters[id][$eq]=${(next += 1)}`);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, visitor));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  afterEach(async () => {
    expect(panel.complaints).toEqual([]);
    await panel.close();
  });

  const open = async (view: string, [width, height]: readonly [number, number]): Promise<void> => {
    panel = await openPanel(browser, server, { width, height });
    ({ page } = panel);
    await panel.open(view);
  };

  const isFocused = (control: Locator): Promise<boolean> =>
    control.evaluate((element) => element === document.activeElement);

  /** Presses a key until the control has the focus. */
  const press = async (key: string, control: Locator, times = 60): Promise<void> => {
    for (let presses = 0; presses < times; presses += 1) {
      if (await isFocused(control)) return;
      await page.keyboard.press(key);
    }
    expect(await isFocused(control), `the focus never reaches ${String(control)}`).toBe(true);
  };

  /** Tab leads to the table's first cell. From there, Strapi's own keys move through the table. */
  const reach = async (control: Locator, row: number): Promise<void> => {
    const inTable = page.locator('table :focus');
    for (let presses = 0; presses < 60 && (await inTable.count()) === 0; presses += 1) await page.keyboard.press('Tab');
    for (let presses = 0; presses < row; presses += 1) await page.keyboard.press('ArrowDown');
    await press('ArrowRight', control, 12);
  };

  const asked = (): Locator => page.getByRole('alertdialog').getByRole('button', { name: 'Purge', exact: true });

  it('a row is opened, its URL copied, and the focus is back at the row', async () => {
    await open('entries?sort=key%3Aasc', PHONE);
    await panel.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.origin });
    const show = page.getByRole('button', { name: /^Show / }).nth(1);
    await reach(show, 2);
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Computed from').waitFor();
    await press('Tab', drawer.getByRole('button', { name: 'Copy URL' }));
    await page.keyboard.press('Enter');
    await page.getByText('Copied.').first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/api/tags?filters');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await expect.poll(() => isFocused(show)).toBe(true);
  });

  it('several are selected and purged, and the focus is still in the view', async () => {
    await open('entries?sort=key%3Aasc', PHONE);
    const boxes = page.getByRole('checkbox', { name: /^Select \/api/ });
    const names = await boxes.evaluateAll((all) => all.slice(0, 2).map((box) => box.getAttribute('aria-label') ?? ''));
    await reach(boxes.nth(0), 1);
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await press('ArrowLeft', boxes.nth(1), 12);
    await page.keyboard.press('Space');
    await press('Shift+Tab', page.getByRole('button', { name: 'Purge 2 selected' }));
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByText('This removes 2 cached responses.').waitFor();
    await press('Tab', asked());
    await page.keyboard.press('Enter');
    await page.getByText('Purged 2 cached responses').first().waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    left -= 2;
    for (const name of names) await page.getByRole('checkbox', { name, exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(page.getByRole('tabpanel'))).toBe(true);
  });

  it('one is purged from its own view, and the focus is still in the list', async () => {
    await open('entries?sort=key%3Aasc', PHONE);
    const show = page.getByRole('button', { name: /^Show / }).first();
    const name = (await show.textContent()) ?? '';
    await reach(show, 1);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Computed from').waitFor();
    await press('Tab', page.getByRole('dialog').getByRole('button', { name: 'Purge this response' }));
    await page.keyboard.press('Enter');
    await press('Tab', asked());
    await page.keyboard.press('Enter');
    await page.getByText('Purged 1 cached response').first().waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    left -= 1;
    await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(page.getByRole('tabpanel'))).toBe(true);
  });

  it('a page that is gone with its entries gives way to the last there is', async () => {
    await open('entries?page=600', [1280, 800]);
    await page
      .getByRole('button', { name: /^Show / })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe(String(Math.ceil(left / 20)));
  });

  it('all that a search has found are purged, and the focus is still in the view', async () => {
    await open('entries', PHONE);
    await press('Tab', page.locator('input[name=search]'));
    await page.keyboard.type('[$eq]=99');
    await page.keyboard.press('Enter');
    const purge = page.getByRole('button', { name: /^Purge all \d+ found$/ });
    await purge.waitFor();
    expect(await isFocused(page.locator('input[name=search]'))).toBe(true);
    const count = Number(/\d+/.exec(await purge.innerText())?.[0]);
    await press('Tab', purge);
    await page.keyboard.press('Enter');
    await page.getByText(`This removes ${count} cached responses.`).waitFor();
    await press('Tab', asked());
    await page.keyboard.press('Enter');
    await page.getByText('No cached response matches.').waitFor();
    left -= count;
    await expect.poll(() => isFocused(page.getByRole('tabpanel'))).toBe(true);
  });

  it('they are counted and purged with their type, on a phone', async () => {
    await open('routes', PHONE);
    const purge = page.getByRole('button', { name: 'Purge Tag' });
    await press('Tab', purge);
    await page.keyboard.press('Enter');
    const counted = left.toLocaleString('en');
    await page.getByText(`This removes ${counted} cached responses that contain Tag.`).waitFor();
    await press('Tab', asked());
    await page.keyboard.press('Enter');
    await page.getByText(`Purged ${counted} cached responses`).first().waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    // There is nothing left to purge, so the button cannot keep the focus.
    await expect.poll(() => purge.isDisabled()).toBe(true);
    await expect.poll(() => isFocused(page.getByRole('tabpanel'))).toBe(true);
  });
});
