import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { launchChromium } from './chromium';
import { openPanel, type Panel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';
import { EVERY_BADGE } from './traffic';

interface OnePanel {
  readonly server: PanelServer;
  readonly panel: Panel;
  readonly page: Page;
  /** The admin of the panel, whose requests are sent without it. */
  readonly admin: AdminSession;
}

/**
 * Opens the panel of a server of its own for all tests of a block, each of which begins with an empty cache.
 *
 * @param opened called before the first test.
 * @param graphql whether GraphQL is cached as well.
 */
export const useOnePanel = (opened: (all: OnePanel) => void, graphql = false): void => {
  let server: PanelServer | undefined;
  let browser: Browser | undefined;
  let admin: AdminSession;
  const configured = { ...EVERY_BADGE, strategy: { ...EVERY_BADGE.strategy, graphql } };

  beforeAll(async () => {
    const [started, launched] = await Promise.all([startPanelServer(configured), launchChromium()]);
    [server, browser] = [started, launched];
    admin = await logIn(started);
    const panel = await openPanel(launched, started);
    opened({ server: started, panel, page: panel.page, admin });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    await admin.post('/rest-cache/reset', {});
  });
};
