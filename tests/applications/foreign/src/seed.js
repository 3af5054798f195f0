const patrons = require('./api/event/patrons');
const { writeFile, mkdtemp, rm } = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');

const PERMISSION = 'plugin::users-permissions.permission';
const ROLE = 'plugin::users-permissions.role';

const everyone = [
  ...['event', 'act', 'hall', 'house', 'notice'].flatMap((name) => [
    `api::${name}.${name}.find`,
    `api::${name}.${name}.findOne`,
  ]),
  'api::imprint.imprint.find',
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
];
const members = [
  'api::event.doors.card',
  'api::ticket.ticket.find',
  'api::ticket.ticket.findOne',
  'plugin::users-permissions.user.me',
  'plugin::users-permissions.user.badge',
  ...Object.keys(patrons).map((name) => `api::event.patron.${name}`),
];

const roles = async (strapi) => {
  const query = strapi.db.query(ROLE);
  const guild = await query.create({
    data: { name: 'Guild', type: 'guild', description: 'Those who also see the desk' },
  });
  const all = Object.fromEntries((await query.findMany()).map((role) => [role.type, role.id]));
  const grant = async (role, actions) => {
    for (const action of actions) await strapi.db.query(PERMISSION).create({ data: { action, role } });
  };
  await grant(all.public, everyone);
  await grant(all.authenticated, [...everyone, ...members]);
  await grant(all.guild, [...everyone, ...members, 'plugin::desk.entry.find', 'plugin::desk.entry.findOne']);
  return { ...all, guild: guild.id };
};

const people = async (strapi, { authenticated, guild }) => {
  const user = (username, role) =>
    strapi.db.query('plugin::users-permissions.user').create({
      data: {
        username,
        email: `${username}@example.com`,
        provider: 'local',
        confirmed: true,
        blocked: false,
        nick: username.toUpperCase(),
        role,
      },
    });
  const superAdmin = await strapi.service('admin::role').getSuperAdmin();
  await strapi.service('admin::user').create({
    email: 'admin@example.com',
    firstname: 'Ada',
    lastname: 'Admin',
    password: 'Passw0rd1',
    registrationToken: null,
    isActive: true,
    roles: [superAdmin.id],
  });
  return [await user('alice', authenticated), await user('bob', guild)];
};

const upload = async (strapi) => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'box-office-'));
  try {
    const filepath = path.join(directory, 'plan.txt');
    await writeFile(filepath, 'stage, pit, rows A to K\n');
    const [file] = await strapi
      .plugin('upload')
      .service('upload')
      .upload({
        data: { fileInfo: { alternativeText: 'Seating plan' } },
        files: { filepath, originalFilename: 'plan.txt', mimetype: 'text/plain', size: 24 },
      });
    return file.id;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const content = async (strapi, file) => {
  const { create } = {
    create: (uid, data, further = {}) => strapi.documents(uid).create({ data, ...further }),
  };
  const houses = [];
  for (const slug of ['north', 'south'])
    houses.push(
      await create('api::house.house', {
        name: `House ${slug}`,
        slug,
        motto: 'Come in',
        features: { bar: slug === 'north', doors: [1, 2] },
        ledger: '9007199254740993',
      }),
    );
  const halls = [];
  for (const [index, name] of ['Great Hall', 'Cellar', 'Roof'].entries())
    halls.push(
      await create('api::hall.hall', {
        name,
        capacity: 100 * (index + 1),
        house: houses[index % 2].documentId,
        regionCode: null,
      }),
    );
  const acts = [];
  for (const [index, name] of ['Anvil', 'Bellows', 'Crank', 'Derrick', 'Elbow'].entries())
    acts.push(
      await create('api::act.act', {
        name,
        bio: `${name} plays`,
        fee: `123456789012345678${index}`,
        rank: index,
        ...(index < 2 ? { home: halls[index].documentId } : {}),
      }),
    );
  for (const [index, title] of ['Gala', 'Film night', 'Talk of the town', 'Matinee', 'Closing'].entries()) {
    const { documentId } = await create('api::event.event', {
      title,
      slug: title.toLowerCase().replaceAll(' ', '-'),
      blurb: `# ${title}\n\nwith *everything*`,
      price: 12.5 + index,
      seats: 100 + index,
      takings: `90071992547409${index}3`,
      startsAt: `2026-06-0${index + 1}T19:30:00.000Z`,
      day: `2026-06-0${index + 1}`,
      meta: { door: index, deep: { list: [1, { two: 2 }] } },
      mode: ['stage', 'film', 'talk'][index % 3],
      hall: halls[index % 3].documentId,
      acts: acts.slice(index % 3, (index % 3) + 3).map((act) => act.documentId),
      poster: index === 0 ? file : null,
      badge: { text: `badge ${index}` },
      slots: [
        { label: 'doors', minute: 0 },
        { label: 'start', minute: 30 },
      ],
      sections: [
        { __component: 'box.quote', text: 'Splendid', act: acts[index].documentId },
        { __component: 'box.lineup', heading: 'Tonight', acts: [acts[0].documentId, acts[index].documentId] },
      ],
    });
    await strapi.documents('api::event.event').publish({ documentId });
    if (index < 3) {
      await strapi
        .documents('api::event.event')
        .update({ documentId, locale: 'fr', data: { title: `${title} (fr)`, blurb: 'en français' } });
      await strapi.documents('api::event.event').publish({ documentId, locale: 'fr' });
    }
  }
  for (const [name, enabled] of [
    ['doors', true],
    ['stamp', true],
    ['quiet', false],
  ])
    await create('api::flag.flag', { name, enabled, note: `note of ${name}` });
  const [hall] = await strapi.db.query('api::hall.hall').findMany({ orderBy: 'id', limit: 1 });
  await strapi.db
    .query('api::notice.notice')
    .create({ data: { text: 'Bring a coat', subject: { __type: 'api::hall.hall', id: hall.id } } });
  const { documentId } = await create('api::imprint.imprint', {
    owner: 'Box Office Ltd',
    line: 'Since 1926',
    badge: { text: 'quality' },
  });
  await strapi.documents('api::imprint.imprint').publish({ documentId });
  await create('plugin::desk.entry', { label: 'First desk', queue: 3 });
};

const tickets = async (strapi, users) => {
  const events = await strapi.db.query('api::event.event').findMany({ orderBy: 'id', limit: 4 });
  for (const [index, event] of events.entries())
    await strapi.db.query('api::ticket.ticket').create({
      data: { code: `T${index}`, state: 'held', holder: users[index % 2].id, event: event.id },
    });
};

exports.seed = async (strapi) => {
  if ((await strapi.db.query('api::house.house').count()) > 0) return;
  await strapi.db.transaction(async () => {
    await strapi.plugin('i18n').service('locales').create({ code: 'fr', name: 'French (fr)' });
    const users = await people(strapi, await roles(strapi));
    await content(strapi, await upload(strapi));
    await tickets(strapi, users);
  });
};
