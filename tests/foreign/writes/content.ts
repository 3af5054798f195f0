import { ACT, DESK, EVENT, FILE, FLAG, HALL, HOUSE, IMPRINT, NOTICE, TICKET, type Kind, type World } from '../world';

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
export const contentWrites: readonly Kind[] = [
  {
    name: 'event: create and publish',
    run: async (world) => world.documents(EVENT).create({ data: await eventData(world), status: 'published' }),
  },
  {
    name: 'event: create a draft',
    run: async (world) => world.documents(EVENT).create({ data: await eventData(world) }),
  },
  {
    name: 'event: edit a draft',
    run: async (world) =>
      world.documents(EVENT).update({ documentId: (await world.anyDraft()).documentId, data: edit(world) }),
  },
  {
    name: 'event: edit and publish',
    run: async (world) =>
      world.documents(EVENT).update({
        documentId: (await world.anyDraft()).documentId,
        data: edit(world),
        status: 'published',
      }),
  },
  {
    name: 'event: publish',
    run: async (world) => world.documents(EVENT).publish({ documentId: (await world.anyDraft()).documentId }),
  },
  {
    name: 'event: unpublish and publish again',
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      await world.documents(EVENT).unpublish({ documentId });
      if (world.random.below(2) === 0) await world.documents(EVENT).publish({ documentId });
    },
  },
  {
    name: 'event: discard a draft',
    run: async (world) => world.documents(EVENT).discardDraft({ documentId: (await world.anyPublished()).documentId }),
  },
  {
    name: 'event: French version',
    run: async (world) => {
      const { documentId } = await world.anyPublished();
      await world.documents(EVENT).update({ documentId, locale: 'fr', data: { title: world.words() } });
      return world.documents(EVENT).publish({ documentId, locale: 'fr' });
    },
  },
  {
    name: 'event: delete, or create where few are left',
    run: async (world) =>
      (await world.rows(EVENT, { publishedAt: null, locale: 'en' })).length < 5
        ? world.documents(EVENT).create({ data: await eventData(world), status: 'published' })
        : world.documents(EVENT).delete({ documentId: (await world.anyDraft()).documentId }),
  },
  {
    name: 'event: clone',
    run: async (world) =>
      world.documents(EVENT).clone({
        documentId: (await world.anyDraft()).documentId,
        data: { title: world.words(), slug: `clone-${world.random.below(1e9)}` },
      }),
  },
  {
    name: 'event: other hall and acts',
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      const acts = await world.rows(ACT);
      const data = {
        hall: (await world.any(HALL)).documentId,
        acts: world.random.sample(acts, 2).map((act) => act.documentId),
      };
      return world.documents(EVENT).update({ documentId, data, status: 'published' });
    },
  },
  {
    name: 'event: connect and disconnect an act',
    run: async (world) => {
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
  },
  {
    name: 'event: sections of the dynamic zone',
    run: async (world) => {
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
  },
  {
    name: 'event: poster and encore',
    run: async (world) => {
      const { documentId } = await world.anyDraft();
      const [file] = await world.rows(FILE);
      const data = {
        poster: world.random.below(2) === 0 ? null : (file?.id ?? null),
        encore: (await world.anyDraft()).documentId,
      };
      return world.documents(EVENT).update({ documentId, data, status: 'published' });
    },
  },
  {
    name: 'query: many events at once',
    run: (world) =>
      world.query(EVENT).updateMany({ where: { mode: 'film' }, data: { seats: 90 + world.random.below(30) } }),
  },
  { name: 'act: create', run: (world) => world.documents(ACT).create({ data: { name: world.words(), rank: 2 } }) },
  {
    name: 'act: rename',
    run: async (world) =>
      world.query(ACT).update({ where: { id: (await world.any(ACT)).id }, data: { name: world.words() } }),
  },
  {
    name: 'act: rank and home',
    run: async (world) =>
      world.documents(ACT).update({
        documentId: (await world.any(ACT)).documentId,
        data: { rank: world.random.below(4), home: (await world.any(HALL)).documentId },
      }),
  },
  {
    name: 'act: delete, or create some',
    run: async (world) => {
      const acts = await world.rows(ACT);
      if (acts.length < 6)
        return world.query(ACT).createMany({ data: [1, 2].map((rank) => ({ name: world.words(), rank })) });
      return world.documents(ACT).delete({ documentId: world.random.pick(acts).documentId });
    },
  },
  {
    name: 'hall: edit',
    run: async (world) =>
      world.documents(HALL).update({
        documentId: (await world.any(HALL)).documentId,
        data: world.random.pick<Record<string, unknown>>([
          { capacity: world.random.below(900) },
          { house: (await world.any(HOUSE)).documentId },
        ]),
      }),
  },
  {
    name: 'house: motto and ledger',
    run: async (world) =>
      world.query(HOUSE).update({
        where: { id: (await world.any(HOUSE)).id },
        data: { motto: world.words(), ledger: `900719925474099${world.random.below(1000)}` },
      }),
  },
  {
    name: 'flag: switch',
    run: async (world) => {
      const { id, enabled } = await world.any(FLAG);
      return world.query(FLAG).update({ where: { id }, data: { enabled: enabled !== true } });
    },
  },
  {
    name: 'flag: note',
    run: async (world) =>
      world.documents(FLAG).update({ documentId: (await world.any(FLAG)).documentId, data: { note: world.words() } }),
  },
  {
    name: 'flag: delete or create one that matters',
    run: async (world) => {
      const rows = await world.rows(FLAG, { name: 'doors' });
      return rows.length > 0
        ? world.query(FLAG).deleteMany({ where: { name: 'doors' } })
        : world.query(FLAG).create({ data: { name: 'doors', enabled: true, note: world.words() } });
    },
  },
  {
    name: 'ticket: state',
    run: async (world) =>
      world.query(TICKET).update({
        where: { id: (await world.any(TICKET)).id },
        data: { state: world.random.pick(['held', 'paid', 'void']) },
      }),
  },
  {
    name: 'ticket: other holder',
    run: async (world) =>
      world.query(TICKET).update({
        where: { id: (await world.any(TICKET)).id },
        data: { holder: (await world.any('plugin::users-permissions.user')).id },
      }),
  },
  {
    name: 'notice: text and subject',
    run: async (world) =>
      world.query(NOTICE).update({
        where: { id: (await world.any(NOTICE)).id },
        data: { text: world.words(), subject: { __type: HALL, id: (await world.any(HALL)).id } },
      }),
  },
  {
    name: 'imprint: edit and publish',
    run: async (world) => {
      const { documentId } = await world.any(IMPRINT);
      const locale = world.random.pick(['en', 'fr']);
      await world.documents(IMPRINT).update({
        documentId,
        locale,
        data: { owner: world.words(), line: world.words(), badge: { text: world.words() } },
      });
      return world.documents(IMPRINT).publish({ documentId, locale });
    },
  },
  {
    name: 'desk: queue',
    run: async (world) =>
      world
        .documents(DESK)
        .update({ documentId: (await world.any(DESK)).documentId, data: { queue: world.random.below(50) } }),
  },
  {
    name: 'store: value',
    run: (world) => world.strapi.store({ type: 'plugin', name: 'desk' }).set({ key: 'banner', value: world.words() }),
  },
  {
    name: 'file: alternative text',
    run: async (world) =>
      world.query(FILE).update({ where: { id: (await world.any(FILE)).id }, data: { alternativeText: world.words() } }),
  },
  {
    name: 'transaction: several types, and a part that is rolled back',
    run: (world) =>
      world.strapi.db.transaction(async () => {
        await world.query(HOUSE).updateMany({ where: { slug: 'south' }, data: { motto: world.words() } });
        await world.strapi.db
          .transaction(async () => {
            await world.query(DESK).updateMany({ where: {}, data: { label: world.words() } });
          })
          .catch(() => undefined);
        await world.query(FLAG).updateMany({ where: { name: 'quiet' }, data: { note: world.words() } });
      }),
  },
];
