import { writesTo, type Kind } from '../world';

/** Writes that no cached response depends on. */
export const unrelatedWrites: readonly Kind[] = [
  ...writesTo([], {
    'unrelated: a token was used': (world) =>
      world
        .query('admin::api-token')
        .updateMany({ where: {}, data: { lastUsedAt: new Date(1.7e12 + world.random.below(1e9)) } }),
    "unrelated: other keys of Strapi's settings": ({ random, strapi }) =>
      strapi.store({ type: 'plugin', name: 'somebody' }).set({ key: `key${random.below(4)}`, value: random.words() }),
    'unrelated: an administrator signs in': (world) =>
      world.admin('POST', '/admin/login', { email: 'admin@example.com', password: 'Passw0rd1' }),
    'unrelated: a media folder': (world) =>
      world.admin('POST', '/upload/folders', { name: world.random.words(), parent: null }),
  }),
];

/** A probe shows one key of the settings, so a write to it does matter. */
export const settingsWrites: readonly Kind[] = [
  ...writesTo([], {
    'settings: a key that a controller shows': ({ random, strapi }) =>
      strapi.store({ type: 'plugin', name: 'probe' }).set({ key: 'shown', value: random.words() }),
  }),
];
