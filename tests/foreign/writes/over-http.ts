import { ACT, EVENT, HALL, IMPRINT, ROLE, kindsOf, type World } from '../world';

const collection = (uid: string): string => `/content-manager/collection-types/${uid}`;

const panel = async (world: World, method: 'post' | 'put', path: string, body: object): Promise<unknown> => {
  const answer = await world.admin[method](path, body);
  if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
  return answer.body;
};

/** Writes over HTTP: to the admin panel, to the content API, and to the application's own routes. */
export const httpWrites = kindsOf({
  'panel: save a draft': async (world) =>
    panel(world, 'put', `${collection(EVENT)}/${(await world.anyDraft()).documentId}`, { title: world.words() }),
  'panel: publish': async (world) =>
    panel(world, 'post', `${collection(EVENT)}/${(await world.anyDraft()).documentId}/actions/publish`, {
      title: world.words(),
    }),
  'panel: edit a hall': async (world) =>
    panel(world, 'put', `${collection(HALL)}/${(await world.any(HALL)).documentId}`, { name: world.words() }),
  'panel: the imprint': async (world) => {
    await panel(world, 'put', `/content-manager/single-types/${IMPRINT}`, { owner: world.words() });
    return panel(world, 'post', `/content-manager/single-types/${IMPRINT}/actions/publish`, {});
  },
  'panel: a role of users': async (world) => {
    const { id } = await world.any(ROLE, { type: 'guild' });
    return world.query(ROLE).update({ where: { id }, data: { description: world.words() } });
  },
  'api: put a hall': async (world) =>
    world.send('PUT', `/api/halls/${(await world.any(HALL)).documentId}`, { data: { name: world.words() } }),
  'api: post an act': (world) => world.send('POST', '/api/acts', { data: { name: world.words(), rank: 3 } }),
  'api: delete an act': async (world) => {
    const acts = await world.rows(ACT);
    if (acts.length < 7) return world.send('POST', '/api/acts', { data: { name: world.words() } });
    return world.send('DELETE', `/api/acts/${world.random.pick(acts).documentId}`, {});
  },
  'till: pay in a transaction': (world) =>
    world.send('POST', '/api/till/pay', { code: `T${world.random.below(4)}` }, {}),
  'till: restock': (world) =>
    world.send('POST', '/api/till/restock', { sku: 'sail', amount: world.random.below(9) }, {}),
  'till: a transaction that fails': (world) => world.send('POST', '/api/till/fail', {}, {}),
  'till: rollover': (world) => world.send('POST', '/api/till/rollover', {}, {}),
});
