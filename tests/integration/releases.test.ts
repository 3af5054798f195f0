import { expect, it } from 'vitest';
import tag from '../../playground/src/api/tag/content-types/tag/schema.json';
import { systemClock } from '../../server/src/cache/clock';
import { MemoryProvider } from '../../server/src/providers/memory';
import { startApplication } from '../application/start-application';

/** The fingerprint of entries in a shared store. A release never answers with another release's entries. */

const released = async (files: Readonly<Record<string, string>>): Promise<string> => {
  let fingerprint = '';
  const application = await startApplication({
    files,
    restCache: {
      provider: {
        instance: (_options, settings) => {
          ({ fingerprint } = settings);
          return new MemoryProvider({ clock: systemClock });
        },
      },
      strategy: { contentTypes: ['api::tag.tag'] },
    },
  });
  await application.stop();
  return fingerprint;
};

const CONTROLLER = `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('api::tag.tag', { find: () => ({ data: 'another' }) });`;

const SCHEMA = 'src/api/tag/content-types/tag/schema.json';
const withPrivateSlug = {
  ...tag,
  attributes: { ...tag.attributes, slug: { ...tag.attributes.slug, private: true } },
};

it('are those of the same code, models and configuration', async () => {
  const asItIs = await released({});
  expect(asItIs).not.toBe('');
  expect(await released({})).toBe(asItIs);
  expect(await released({ 'src/api/tag/controllers/tag.js': CONTROLLER })).not.toBe(asItIs);
  // A private field changes no table, but has to change the fingerprint.
  expect(await released({ [SCHEMA]: JSON.stringify(withPrivateSlug) })).not.toBe(asItIs);
  expect(await released({ 'config/api.js': 'module.exports = { rest: { maxLimit: 7 } };' })).not.toBe(asItIs);
});
