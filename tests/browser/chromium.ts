import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian installs it. */
const EXECUTABLE = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Whether there is a browser. On CI a missing one is no excuse. */
export const hasChromium = (): boolean => {
  if (existsSync(EXECUTABLE)) return true;
  if (process.env.CI === 'true') throw new Error(`CI has no Chromium at ${EXECUTABLE}`);
  console.warn(`Browser tests skipped: there is no Chromium at ${EXECUTABLE}`);
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
