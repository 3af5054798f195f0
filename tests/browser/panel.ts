import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import type { PanelServer } from './panel-server';

export type Theme = 'light' | 'dark';

export interface PanelOptions {
  readonly theme?: Theme;
  readonly email?: string;
  readonly language?: 'en' | 'fr' | 'de' | 'es';
  readonly width?: number;
  readonly height?: number;
}

/** The admin panel in a browser, with an admin logged in. */
export interface Panel {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The browser's complaints: uncaught errors, and messages logged as errors. */
  readonly complaints: string[];
  /**
   * Opens a view of the plugin's settings, and waits until it has loaded. From another of these views, it does so as a
   * link does: without loading the whole admin panel again.
   */
  open(view: string): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds. Generous, because the machine may be busy with a build. */
const PATIENCE = 30_000;

/**
 * Strapi renders the content manager's actions when the browser is idle, which never happens on a busy machine. A text,
 * because tsx would make the functions call one of its own, which the browser does not have.
 */
const NEVER_BUSY = `
  window.requestIdleCallback = (callback) =>
    window.setTimeout(() => callback({ didTimeout: true, timeRemaining: () => 0 }), 1);
  window.cancelIdleCallback = (handle) => window.clearTimeout(handle);
`;

/** Strapi limits logins to a few a minute, so each admin of a server logs in only once. */
const sessions = new WeakMap<PanelServer, Map<string, StorageState>>();

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

const logInByForm = async (page: Page, server: PanelServer, email: string): Promise<void> => {
  await page.goto(`${server.origin}/admin/auth/login`);
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill('Passw0rd1');
  await page.locator('button[type=submit]').click();
  await page.waitForURL(/\/admin\/?$/);
  // Closes Strapi's own announcement, which would be in every screenshot.
  await page.locator('a[href*="strapi.io/blog"]').locator('xpath=following::button[1]').click();
  const known = sessions.get(server) ?? new Map<string, StorageState>();
  sessions.set(server, known.set(email, await page.context().storageState()));
};

export const openPanel = async (
  browser: Browser,
  server: PanelServer,
  { theme = 'light', email = 'admin@example.com', language = 'en', width = 1440, height = 900 }: PanelOptions = {},
): Promise<Panel> => {
  const known = sessions.get(server)?.get(email);
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    ...(known === undefined ? {} : { storageState: known }),
  });
  await context.addInitScript(
    ([wantedTheme, wantedLanguage]) => {
      localStorage.setItem('STRAPI_THEME', wantedTheme ?? '');
      localStorage.setItem('strapi-admin-language', wantedLanguage ?? '');
    },
    [theme, language],
  );
  await context.addInitScript({ content: NEVER_BUSY });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The listener below reports which of the plugin's requests failed. Strapi's own pages request some files that do
    // not exist.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  const asking = new Set<Request>();
  pending.set(page, asking);
  page.on('request', (request) => asking.add(request));
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => asking.delete(request));
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (response.status() >= 400 && pathname.startsWith('/rest-cache'))
      complaints.push(`${response.status()} ${pathname}`);
  });
  if (known === undefined) await logInByForm(page, server, email);
  return {
    context,
    page,
    complaints,
    open: async (view) => {
      const settings = '/admin/settings/rest-cache/';
      const [name] = view.split('?');
      const { pathname } = new URL(page.url());
      const isAnother = pathname.startsWith(settings) && pathname !== `${settings}${name}`;
      await (isAnother ? followLink(page, settings + view) : page.goto(`${server.origin}${settings}${view}`));
      await page.locator(`[role=tabpanel][data-state=active][id$="-content-${name}"]`).waitFor();
      await settled(page);
    },
    close: () => context.close(),
  };
};

/** As React Router does it for a link. */
const followLink = (page: Page, path: string): Promise<void> =>
  page.evaluate((target) => {
    const { idx = 0 } = (window.history.state ?? {}) as { idx?: number };
    window.history.pushState({ usr: null, key: 'test', idx: idx + 1 }, '', target);
    window.dispatchEvent(new PopStateEvent('popstate', { state: window.history.state }));
  }, path);

/** The requests of each page that are not answered yet. */
const pending = new WeakMap<Page, Set<Request>>();

/** Waits until nothing is being loaded any more. */
export const settled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  // A view asks once it is painted.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
  while ((pending.get(page)?.size ?? 0) > 0) await page.waitForTimeout(20);
  await page.waitForFunction(
    () => document.querySelector('[aria-busy=true], [aria-live=assertive] > [role=alert]') === null,
  );
};

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>;
}

/**
 * The violations that axe finds within a part of the page, as text.
 *
 * @param selector the plugin's own part of the page; the panel around it is Strapi's.
 */
export const axeViolations = async (page: Page, selector = '#main-content'): Promise<string[]> => {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async (scope) => {
    const { axe } = window as unknown as { axe: { run(context: unknown): Promise<{ violations: AxeViolation[] }> } };
    return (await axe.run({ include: [scope] })).violations;
  }, selector);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary ?? ''}`),
  );
};
