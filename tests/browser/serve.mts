import type { ApplicationSettings } from '../application/start-application';
import { startApplication } from '../application/start-application';

/** Runs in a process of its own: a production server with the built admin panel, until it is killed. */
const { anHourAgo, restCache } = JSON.parse(process.env.PANEL_SETTINGS ?? '{}') as Pick<
  ApplicationSettings,
  'restCache'
> & { readonly anHourAgo?: boolean };

/** Sets the clock of the process back by an hour. Each message puts it forward by so many milliseconds. */
const setBack = (): void => {
  const now = Date.now.bind(Date);
  let behind = 3_600_000;
  Date.now = () => now() - behind;
  process.on('message', (forward: number) => (behind = Math.max(0, behind - forward)));
};

const application = await startApplication({ ...(restCache === undefined ? {} : { restCache }), adminPanel: true });
if (anHourAgo === true) setBack();
process.once('SIGTERM', () => void application.stop().finally(() => process.exit(0)));
process.send?.({ origin: application.origin });
