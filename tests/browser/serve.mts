import type { ApplicationSettings } from '../application/start-application';
import { startApplication } from '../application/start-application';

/** Runs in a process of its own: a production server with the built admin panel, until it is killed. */
const { hourTakes, restCache } = JSON.parse(process.env.PANEL_SETTINGS ?? '{}') as Pick<
  ApplicationSettings,
  'restCache'
> & { readonly hourTakes?: number };

/** The clock of the process: an hour ago now, and right again after `takes` milliseconds. */
const hurry = (takes: number): void => {
  const now = Date.now.bind(Date);
  const startedAt = now();
  const hour = 3_600_000;
  Date.now = () => Math.min(now(), Math.floor(startedAt - hour + (now() - startedAt) * (1 + hour / takes)));
};

const application = await startApplication({ ...(restCache === undefined ? {} : { restCache }), adminPanel: true });
if (hourTakes !== undefined) hurry(hourTakes);
process.once('SIGTERM', () => void application.stop().finally(() => process.exit(0)));
process.send?.({ origin: application.origin });
