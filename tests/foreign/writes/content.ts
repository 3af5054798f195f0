import { ACT, DESK, EVENT, FILE, FLAG, HALL, HOUSE, IMPRINT, NOTICE, TICKET, kindsOf, type World } from '../world';

const eventData = async (world: World): Promise<Record<string, unknown>> => {
  const title = world.words();
  return {
    title,
    slug: title.toLowerCase().replaceAll(' ', '-'),
    seats: 90 + world.random.below(30),
    price: world.random.below(30),
    takings: `9007199254${world.random.below(900_000) + 100_000}`,
    day: '2026-07-01',
    mode: world.random.pick(['stage', 'film', 'talk']),
    meta: { n: world.random.below(9) },
    hall: (await world.any(HALL)).documentId,
    acts: [(await world.any(ACT)).documentId],
    badge: { text: `badge ${world.random.below(20)}` },
    slots: [{ label: 'start', minute: world.random.below(60) }],
  };
};

const edit = (world: World): Record<string, unknown> =>
  world.random.pick<Record<string, unknown>>([
    { title: world.words() },
    { seats: 90 + world.random.below(30) },
    { mode: world.random.pick(['stage', 'film', 'talk']) },
    { meta: { n: world.random.below(1000) } },
    { takings: `90071992547409${world.random.below(100)}` },
    { badge: { text: `badge ${world.random.below(20)}` } },
    {
      slots: [
        { label: world.words(), minute: 1 },
        { label: 'late', minute: 2 },
      ],
    },
    { memo: world.words() },
  ]);

/** Writes of content, by the document service and the query engine. */
export const contentWrites = kindsOf({
  'event: create and publish': async (world) =>
    world.documents(EVENT).create({ data: await eventData(world), status: 'published' }),
  'event: create a draft': async (world) => world.documents(EVENT).create({ data: await eventData(world) }),
  'event: edit a draft': async (world) => world.edit(EVENT, await world.anyDraft(), edit(world)),
  'event: edit and publish': async (world) => world.edit(EVENT, await world.anyDraft(), edit(world), 'published'),
  'event: publish': async (world) =>
    world.documents(EVENT).publish({ documentId: (await world.anyDraft()).documentId }),
  'event: unpublish and publish again': async (world) => {
    const { documentId } = await world.anyPublished();
    await world.documents(EVENT).unpublish({ documentId });
    if (world.random.below(2) === 0) await world.documents(EVENT).publish({ documentId });
  },
  'event: discard a draft': async (world) =>
    world.documents(EVENT).discardDraft({ documentId: (await world.anyPublished()).documentId }),
  'event: French version': async (world) => {
    const { documentId } = await world.anyPublished();
    await world.documents(EVENT).update({ documentId, locale: 'fr', data: { title: world.words() } });
    return world.documents(EVENT).publish({ documentId, locale: 'fr' });
  },
  'event: delete, or create where few are left': async (world) =>
    (await world.rows(EVENT, { publishedAt: null, locale: 'en' })).length < 5
      ? world.documents(EVENT).create({ data: await eventData(world), status: 'published' })
      : world.documents(EVENT).delete({ documentId: (await world.anyDraft()).documentId }),
  'event: clone': async (world) =>
    world.documents(EVENT).clone({
      documentId: (await world.anyDraft()).documentId,
      data: { title: world.words(), slug: `clone-${world.random.below(1e9)}` },
    }),
  'event: other hall and acts': async (world) => {
    const { documentId } = await world.anyDraft();
    const acts = await world.rows(ACT);
    const data = {
      hall: (await world.any(HALL)).documentId,
      acts: world.random.sample(acts, 2).map((act) => act.documentId),
    };
    return world.documents(EVENT).update({ documentId, data, status: 'published' });
  },
  'event: connect and disconnect an act': async (world) => {
    const { documentId } = await world.anyDraft();
    const [one, other] = world.random.sample(await world.rows(ACT), 2);
    const data = {
      acts: {
        connect: one === undefined ? [] : [{ documentId: one.documentId }],
        disconnect: other === undefined ? [] : [{ documentId: other.documentId }],
      },
    };
    return world.documents(EVENT).update({ documentId, data, status: 'published' });
  },
  'event: sections of the dynamic zone': async (world) => {
    const act = (await world.any(ACT)).documentId;
    const sections = world.random.sample(
      [
        { __component: 'box.quote', text: world.words(), act },
        { __component: 'box.lineup', heading: world.words(), acts: [act] },
        { __component: 'box.quote', text: 'Again' },
      ],
      2,
    );
    const { documentId } = await world.anyDraft();
    return world.documents(EVENT).update({ documentId, data: { sections }, status: 'published' });
  },
  'event: poster and encore': async (world) => {
    const { documentId } = await world.anyDraft();
    const [file] = await world.rows(FILE);
    const data = {
      poster: world.random.below(2) === 0 ? null : (file?.id ?? null),
      encore: (await world.anyDraft()).documentId,
    };
    return world.documents(EVENT).update({ documentId, data, status: 'published' });
  },
  'query: many events at once': (world) =>
    world.query(EVENT).updateMany({ where: { mode: 'film' }, data: { seats: 90 + world.random.below(30) } }),
  'act: create': (world) => world.documents(ACT).create({ data: { name: world.words(), rank: 2 } }),
  'act: rename': async (world) => world.set(ACT, await world.any(ACT), { name: world.words() }),
  'act: rank and home': async (world) =>
    world.edit(ACT, await world.any(ACT), { rank: world.random.below(4), home: (await world.any(HALL)).documentId }),
  'act: delete, or create some': async (world) => {
    const acts = await world.rows(ACT);
    if (acts.length < 6)
      return world.query(ACT).createMany({ data: [1, 2].map((rank) => ({ name: world.words(), rank })) });
    return world.documents(ACT).delete({ documentId: world.random.pick(acts).documentId });
  },
  'hall: edit': async (world) =>
    world.edit(
      HALL,
      await world.any(HALL),
      world.random.pick<Record<string, unknown>>([
        { capacity: world.random.below(900) },
        { house: (await world.any(HOUSE)).documentId },
      ]),
    ),
  'house: motto and ledger': async (world) =>
    world.set(HOUSE, await world.any(HOUSE), {
      motto: world.words(),
      ledger: `900719925474099${world.random.below(1000)}`,
    }),
  'flag: switch': async (world) => {
    const { id, enabled } = await world.any(FLAG);
    return world.query(FLAG).update({ where: { id }, data: { enabled: enabled !== true } });
  },
  'flag: note': async (world) => world.edit(FLAG, await world.any(FLAG), { note: world.words() }),
  'flag: delete or create one that matters': async (world) => {
    const rows = await world.rows(FLAG, { name: 'doors' });
    return rows.length > 0
      ? world.query(FLAG).deleteMany({ where: { name: 'doors' } })
      : world.query(FLAG).create({ data: { name: 'doors', enabled: true, note: world.words() } });
  },
  'ticket: state': async (world) =>
    world.set(TICKET, await world.any(TICKET), { state: world.random.pick(['held', 'paid', 'void']) }),
  'ticket: other holder': async (world) =>
    world.set(TICKET, await world.any(TICKET), { holder: (await world.any('plugin::users-permissions.user')).id }),
  'notice: text and subject': async (world) =>
    world.set(NOTICE, await world.any(NOTICE), {
      text: world.words(),
      subject: { __type: HALL, id: (await world.any(HALL)).id },
    }),
  'imprint: edit and publish': async (world) => {
    const { documentId } = await world.any(IMPRINT);
    const locale = world.random.pick(['en', 'fr']);
    await world.documents(IMPRINT).update({
      documentId,
      locale,
      data: { owner: world.words(), line: world.words(), badge: { text: world.words() } },
    });
    return world.documents(IMPRINT).publish({ documentId, locale });
  },
  'desk: queue': async (world) => world.edit(DESK, await world.any(DESK), { queue: world.random.below(50) }),
  'store: value': ({ random, strapi }) =>
    strapi.store({ type: 'plugin', name: 'desk' }).set({ key: 'banner', value: random.words() }),
  'file: alternative text': async (world) => world.set(FILE, await world.any(FILE), { alternativeText: world.words() }),
  'transaction: several types, and a part that is rolled back': (world) =>
    world.strapi.db.transaction(async () => {
      await world.query(HOUSE).updateMany({ where: { slug: 'south' }, data: { motto: world.words() } });
      await world.strapi.db
        .transaction(async () => {
          await world.query(DESK).updateMany({ where: {}, data: { label: world.words() } });
        })
        .catch(() => undefined);
      await world.query(FLAG).updateMany({ where: { name: 'quiet' }, data: { note: world.words() } });
    }),
});
