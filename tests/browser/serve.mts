import type { ApplicationSettings } from '../application/start-application';
import { startApplication } from '../application/start-application';

/** Runs in a process of its own: a production server with the built admin panel, until it is killed. */
const settings = JSON.parse(process.env.PANEL_SETTINGS ?? '{}') as Pick<ApplicationSettings, 'restCache'>;
const application = await startApplication({ ...settings, adminPanel: true });
process.once('SIGTERM', () => void application.stop().finally(() => process.exit(0)));
process.send?.({ origin: application.origin });
