import { startApplication } from './start-application';
import { TEMPLATE_DATABASE, TEMPLATE_PUBLIC } from './paths';

/** First boot of the playground: it seeds itself. */
const application = await startApplication({ sqlite: TEMPLATE_DATABASE, publicDirectory: TEMPLATE_PUBLIC });
await application.stop();
process.exit(0);
