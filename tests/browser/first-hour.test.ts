import { runInNewContext } from 'node:vm';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { hasChromium, launchChromium } from './chromium';
import { axeViolations, openPanel } from './panel';
import { startPanelServer, type PanelServer } from './panel-server';

describe.runIf(hasChromium())('With nothing cached yet', () => {
  let browser: Browser;
  const servers: PanelServer[] = [];

  beforeAll(async () => void (browser = await launchChromium()));
  afterAll(async () => {
    await browser?.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const start = async (restCache: RestCacheConfig): Promise<PanelServer> => {
    const server = await startPanelServer(restCache);
    servers.push(server);
    return server;
  };

  it('the panel offers a configuration that leads to a first HIT', async () => {
    const server = await start({ strategy: { contentTypes: [] } });
    const panel = await openPanel(browser, server, { width: 390, height: 844 });
    for (const view of ['routes', 'overview']) {
      await panel.open(view);
      await panel.page.getByRole('heading', { name: 'Nothing is cached yet' }).waitFor();
      expect([view, await axeViolations(panel.page)]).toEqual([view, []]);
    }
    const written = await panel.page.locator('pre').innerText();
    expect(panel.complaints).toEqual([]);
    const { 'rest-cache': plugin } = runInNewContext(`({${written}})`) as {
      'rest-cache': { enabled: boolean; config: RestCacheConfig };
    };
    expect(plugin.enabled).toBe(true);
    const configured = await start(plugin.config);
    expect([await configured.visit('/api/tags'), await configured.visit('/api/tags')]).toEqual(['MISS', 'HIT']);
  }, 120_000);
});
