import { startApplication } from './start-application';
import { TEMPLATE_DATABASE, TEMPLATE_PUBLIC } from './paths';

/** The playground seeds its database at the first boot. */
const application = await startApplication({ sqlite: TEMPLATE_DATABASE, publicDirectory: TEMPLATE_PUBLIC });
await application.stop();
process.exit(0);
