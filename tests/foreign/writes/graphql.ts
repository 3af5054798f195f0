import { ACT, EVENT, FILE, HALL, USER, kindsOf, type World } from '../world';

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: ReadonlyArray<{ readonly message: string }>;
}

/** Sends a mutation. By default the caller may do everything; with `headers` set to `{}` it has no credentials. */
const mutate = async (
  world: World,
  query: string,
  variables: object = {},
  headers?: Readonly<Record<string, string>>,
): Promise<Answer['data']> => {
  const answer = (await world.send('POST', '/graphql', { query, variables }, headers)) as Answer;
  if (answer.errors !== undefined) throw new Error(answer.errors.map(({ message }) => message).join(', '));
  return answer.data;
};

const code = (world: World): string => `T${world.random.below(4)}`;

/** Mutations: Strapi's for content types, and the application's own. */
export const graphqlWrites = kindsOf({
  'graphql: create an act, or delete one': async (world) => {
    const acts = await world.rows(ACT);
    if (acts.length < 7)
      return mutate(world, 'mutation ($data: ActInput!) { createAct(data: $data) { documentId homeName } }', {
        data: { name: world.words(), rank: 2, home: (await world.any(HALL)).documentId },
      });
    return mutate(world, 'mutation ($id: ID!) { deleteAct(documentId: $id) { documentId } }', {
      id: world.random.pick(acts).documentId,
    });
  },
  'graphql: update an event as a draft or published': async (world) =>
    mutate(
      world,
      `mutation ($id: ID!, $data: EventInput!, $status: PublicationStatus) {
          updateEvent(documentId: $id, data: $data, status: $status) { title hall { name } }
        }`,
      {
        id: (await world.anyDraft()).documentId,
        data: {
          title: world.words(),
          mode: world.random.pick(['stage', 'film', 'talk']),
          hall: (await world.any(HALL)).documentId,
          slots: [{ label: world.words(), minute: 3 }],
        },
        status: world.random.pick(['DRAFT', 'PUBLISHED']),
      },
    ),
  'graphql: two halls in one document': async (world) =>
    mutate(
      world,
      `mutation ($one: ID!, $two: ID!, $name: String, $capacity: Int) {
          one: updateHall(documentId: $one, data: { name: $name }) { name }
          two: updateHall(documentId: $two, data: { capacity: $capacity }) { capacity eventCount }
        }`,
      {
        one: (await world.any(HALL)).documentId,
        two: (await world.any(HALL)).documentId,
        name: world.random.pick(['Cellar', 'Roof', world.words()]),
        capacity: world.random.below(500),
      },
    ),
  'graphql: the imprint in French': (world) =>
    mutate(
      world,
      `mutation ($line: String!) {
          updateImprint(locale: "fr", status: PUBLISHED, data: { line: $line, badge: { text: $line } }) { line }
        }`,
      { line: world.words() },
    ),
  'graphql: a user': async (world) =>
    mutate(
      world,
      `mutation ($id: ID!, $nick: String!) {
          updateUsersPermissionsUser(id: $id, data: { nick: $nick }) { data { username } }
        }`,
      { id: String((await world.any(USER)).id), nick: world.words() },
    ),
  'graphql: a file': async (world) =>
    mutate(
      world,
      'mutation ($id: ID!, $text: String!) { updateUploadFile(id: $id, info: { alternativeText: $text }) { name } }',
      { id: String((await world.any(FILE)).id), text: world.words() },
    ),
  'graphql: pay in a transaction of both engines': (world) =>
    mutate(
      world,
      'mutation ($code: String!) { payTicket(code: $code) { state reserved ticket { code event { title } } } }',
      { code: code(world) },
      {},
    ),
  'graphql: restock by raw SQL': (world) =>
    mutate(
      world,
      'mutation ($sku: String!, $amount: Int!) { restock(sku: $sku, amount: $amount) { available } }',
      { sku: world.random.pick(['lamp', 'sail', 'net']), amount: world.random.below(9) },
      {},
    ),
  'graphql: rename an act by the document service, behind a mutation of another kind': async (world) =>
    mutate(
      world,
      `mutation ($id: ID!, $name: String!, $title: String!) {
          retitleTasks(title: $title)
          renameAct(documentId: $id, name: $name) { name events(sort: "id") { title } }
        }`,
      { id: (await world.any(ACT)).documentId, name: world.words(), title: world.words() },
    ),
  'graphql: a transaction that fails': (world) => mutate(world, 'mutation { payNothing }', {}, {}),
  'graphql: a mutation that is refused after one that was made': async (world) => {
    const { documentId } = await world.any(EVENT, { publishedAt: null, locale: 'en' });
    const answer = (await world.send(
      'POST',
      '/graphql',
      {
        query: `mutation ($id: ID!, $sku: String!, $amount: Int!) {
            restock(sku: $sku, amount: $amount) { sku }
            deleteEvent(documentId: $id) { documentId }
          }`,
        variables: { id: documentId, sku: 'lamp', amount: world.random.below(9) },
      },
      {},
    )) as Answer;
    if (answer.errors === undefined) throw new Error('nobody may delete an event');
  },
});
