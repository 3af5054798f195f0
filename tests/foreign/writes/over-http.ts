import { ACT, EVENT, HALL, IMPRINT, ROLE, type Kind, type World } from '../world';

const collection = (uid: string): string => `/content-manager/collection-types/${uid}`;

const panel = async (world: World, method: 'post' | 'put', path: string, body: object): Promise<unknown> => {
  const answer = await world.admin[method](path, body);
  if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
  return answer.body;
};

/** Writes over HTTP: to the admin panel, to the content API, and to the application's own routes. */
export const httpWrites: readonly Kind[] = [
  {
    name: 'panel: save a draft',
    run: async (world) =>
      panel(world, 'put', `${collection(EVENT)}/${(await world.anyDraft()).documentId}`, { title: world.words() }),
  },
  {
    name: 'panel: publish',
    run: async (world) =>
      panel(world, 'post', `${collection(EVENT)}/${(await world.anyDraft()).documentId}/actions/publish`, {
        title: world.words(),
      }),
  },
  {
    name: 'panel: edit a hall',
    run: async (world) =>
      panel(world, 'put', `${collection(HALL)}/${(await world.any(HALL)).documentId}`, { name: world.words() }),
  },
  {
    name: 'panel: the imprint',
    run: async (world) => {
      await panel(world, 'put', `/content-manager/single-types/${IMPRINT}`, { owner: world.words() });
      return panel(world, 'post', `/content-manager/single-types/${IMPRINT}/actions/publish`, {});
    },
  },
  {
    name: 'panel: a role of users',
    run: async (world) => {
      const { id } = await world.any(ROLE, { type: 'guild' });
      return world.query(ROLE).update({ where: { id }, data: { description: world.words() } });
    },
  },
  {
    name: 'api: put a hall',
    run: async (world) =>
      world.send('PUT', `/api/halls/${(await world.any(HALL)).documentId}`, { data: { name: world.words() } }),
  },
  {
    name: 'api: post an act',
    run: (world) => world.send('POST', '/api/acts', { data: { name: world.words(), rank: 3 } }),
  },
  {
    name: 'api: delete an act',
    run: async (world) => {
      const acts = await world.rows(ACT);
      if (acts.length < 7) return world.send('POST', '/api/acts', { data: { name: world.words() } });
      return world.send('DELETE', `/api/acts/${world.random.pick(acts).documentId}`, {});
    },
  },
  {
    name: 'till: pay in a transaction',
    run: (world) => world.send('POST', '/api/till/pay', { code: `T${world.random.below(4)}` }, {}),
  },
  {
    name: 'till: restock',
    run: (world) => world.send('POST', '/api/till/restock', { sku: 'sail', amount: world.random.below(9) }, {}),
  },
  { name: 'till: a transaction that fails', run: (world) => world.send('POST', '/api/till/fail', {}, {}) },
  { name: 'till: rollover', run: (world) => world.send('POST', '/api/till/rollover', {}, {}) },
];
