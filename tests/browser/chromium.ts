import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const EXECUTABLE = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

/** Whether there is a browser. On CI, a missing browser fails the tests. */
export const hasChromium = (): boolean => {
  if (EXECUTABLE !== undefined) return true;
  if (process.env.CI === 'true') throw new Error('CI has no Chromium: install it, these tests must not be skipped');
  console.warn('Browser tests skipped: there is no Chromium (apt-get install chromium)');
  return false;
};

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
