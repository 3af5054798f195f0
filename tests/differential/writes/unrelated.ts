import type { Kind } from '../world';

/** Writes that no cached response depends on. */
export const unrelatedWrites: readonly Kind[] = [
  {
    name: 'unrelated: a token was used',
    types: [],
    run: (world) =>
      world
        .query('admin::api-token')
        .updateMany({ where: {}, data: { lastUsedAt: new Date(1.7e12 + world.random.below(1e9)) } }),
  },
  {
    name: "unrelated: other keys of Strapi's settings",
    types: [],
    run: (world) =>
      world.strapi
        .store({ type: 'plugin', name: 'somebody' })
        .set({ key: `key${world.random.below(4)}`, value: world.random.words() }),
  },
  {
    name: 'unrelated: an administrator signs in',
    types: [],
    run: (world) => world.admin('POST', '/admin/login', { email: 'admin@example.com', password: 'Passw0rd1' }),
  },
  {
    name: 'unrelated: a media folder',
    types: [],
    run: (world) => world.admin('POST', '/upload/folders', { name: world.random.words(), parent: null }),
  },
];

/** A probe shows one key of the settings, so a write to it does matter. */
export const settingsWrites: readonly Kind[] = [
  {
    name: 'settings: a key that a controller shows',
    types: [],
    run: (world) =>
      world.strapi.store({ type: 'plugin', name: 'probe' }).set({ key: 'shown', value: world.random.words() }),
  },
];
