/**
 * `strapi export` and `strapi import` of content within a running process: the same transfer, but without the command
 * line and without booting an application each time.
 */

import { createRequire } from 'node:module';

const requireFromStrapi = createRequire(createRequire(import.meta.url).resolve('@strapi/strapi/package.json'));
const { engine, file, strapi: local } = requireFromStrapi('@strapi/data-transfer');

const { isIgnoredOfficialTransferType: isIgnored } = local;

const transfer = (source, destination) =>
  engine
    .createTransferEngine(source, destination, {
      versionStrategy: engine.DEFAULT_VERSION_STRATEGY,
      schemaStrategy: engine.DEFAULT_SCHEMA_STRATEGY,
      exclude: ['files', 'config'],
      only: [],
      throttle: 0,
      transforms: {
        entities: [{ filter: ({ type }) => !isIgnored(type) }],
        links: [{ filter: ({ left, right }) => !isIgnored(left.type) && !isIgnored(right.type) }],
      },
    })
    .transfer();

/** @param archive a path without `.tar`. */
export const exportTo = (strapi, archive) =>
  transfer(
    local.providers.createLocalStrapiSourceProvider({ getStrapi: () => strapi, autoDestroy: false }),
    file.providers.createLocalFileDestinationProvider({
      file: { path: archive },
      encryption: { enabled: false },
      compression: { enabled: false },
    }),
  );

export const importFrom = (strapi, archive) =>
  transfer(
    file.providers.createLocalFileSourceProvider({
      file: { path: `${archive}.tar` },
      encryption: { enabled: false },
      compression: { enabled: false },
    }),
    local.providers.createLocalStrapiDestinationProvider({
      getStrapi: () => strapi,
      autoDestroy: false,
      strategy: 'restore',
      restore: {
        entities: {
          include: Object.keys(strapi.contentTypes).filter((uid) => !isIgnored(uid)),
          exclude: Object.keys(strapi.contentTypes).filter(isIgnored),
        },
        assets: false,
        configuration: { webhook: false, coreStore: false },
      },
    }),
  );
