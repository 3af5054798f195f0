import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLAYGROUND, SECRETS, TEMPLATE_DATABASE, TEMPLATE_PUBLIC, WORK } from '../application/paths';
import { Child, SERVER_CORE } from './child';

export interface StrapiSettings {
  /** `config/middlewares`. Default: the playground's own, which are Strapi's defaults. */
  readonly middlewares?: readonly unknown[];
  /** `config/plugins`, in addition to users-permissions. */
  readonly plugins: Readonly<Record<string, unknown>>;
  /** Whether the process answers `plugin on` and `plugin off`. */
  readonly switchable?: boolean;
  /** Whether OpenTelemetry is loaded before everything else. */
  readonly isTraced?: boolean;
}

/** Strapi's default global middlewares. */
export const DEFAULT_MIDDLEWARES: readonly string[] = [
  'strapi::logger',
  'strapi::errors',
  'strapi::security',
  'strapi::cors',
  'strapi::poweredBy',
  'strapi::query',
  'strapi::body',
  'strapi::session',
  'strapi::favicon',
  'strapi::public',
];

export const WITHOUT_LOG = DEFAULT_MIDDLEWARES.filter((name) => name !== 'strapi::logger');

const script = fileURLToPath(new URL('strapi-application.mjs', import.meta.url));

const TRACED = ['--require', fileURLToPath(new URL('opentelemetry.cjs', import.meta.url))];

const bound = async (starting: Promise<Child>): Promise<Child> => {
  const server = await starting;
  server.bindTo(SERVER_CORE);
  return server;
};

export const startStrapi = (name: string, { isTraced = false, ...settings }: StrapiSettings): Promise<Child> =>
  bound(
    Child.start(
      name,
      [
        ...(isTraced ? TRACED : []),
        script,
        JSON.stringify({
          playground: PLAYGROUND,
          work: mkdtempSync(path.join(WORK, 'bench-')),
          database: TEMPLATE_DATABASE,
          publicDirectory: TEMPLATE_PUBLIC,
          ...settings,
        }),
      ],
      SECRETS,
    ),
  );

export const startBare = (kind: 'koa' | 'http', responses: string, isTraced = false): Promise<Child> =>
  bound(
    Child.start(`bare ${kind}`, [
      ...(isTraced ? TRACED : []),
      fileURLToPath(new URL('bare-server.mjs', import.meta.url)),
      kind,
      responses,
    ]),
  );

/** A new folder for the files of one run of the bench. */
export const runFolder = (): string => mkdtempSync(path.join(tmpdir(), 'rest-cache-bench-'));
