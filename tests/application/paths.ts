import { fileURLToPath } from 'node:url';
import path from 'node:path';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PLAYGROUND = path.join(ROOT, 'playground');
/** Inside the playground, so that the compiled files find the packages they require. */
export const WORK = path.join(PLAYGROUND, '.tmp', 'tests');
/** The compiled playground. `strapi build` writes to `dist` while tests copy these files. */
export const COMPILED = path.join(WORK, 'compiled');
export const TEMPLATE_DATABASE = path.join(WORK, 'template.db');
export const TEMPLATE_PUBLIC = path.join(WORK, 'template-public');

/** Secrets of the applications under test. Strapi does not start without them. */
export const SECRETS: Readonly<Record<string, string>> = {
  APP_KEYS: 'test-key-one,test-key-two',
  ADMIN_JWT_SECRET: 'test-admin-jwt-secret',
  API_TOKEN_SALT: 'test-api-token-salt',
  TRANSFER_TOKEN_SALT: 'test-transfer-token-salt',
  JWT_SECRET: 'test-jwt-secret',
  ENCRYPTION_KEY: 'test-encryption-key',
};
