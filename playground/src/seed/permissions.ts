import type { Core } from '@strapi/strapi';

const uid = 'plugin::users-permissions.permission';

const everyone = [
  'api::article.article.find',
  'api::article.article.findOne',
  'api::article.article.bySlug',
  'api::author.author.find',
  'api::author.author.findOne',
  'api::brochure.brochure.show',
  'api::category.category.find',
  'api::category.category.findOne',
  'api::export.export.articles',
  'api::homepage.homepage.find',
  'api::report.report.categories',
  'api::report.report.topAuthors',
  'api::report.report.editorial',
  'api::sitemap.sitemap.show',
  'api::tag.tag.find',
  'api::tag.tag.findOne',
  'api::visit.visit.count',
  'api::writer.editor.find',
  'api::writer.editor.findOne',
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
];

const customers = [
  'api::order.order.find',
  'api::order.order.findOne',
  'plugin::users-permissions.user.find',
  'plugin::users-permissions.user.findOne',
  'plugin::users-permissions.user.me',
];

const grant = async (strapi: Core.Strapi, type: string, actions: string[]) => {
  const role: { id: number; permissions: Array<{ action: string }> } = await strapi.db
    .query('plugin::users-permissions.role')
    .findOne({ where: { type }, populate: ['permissions'] });

  // At its first boot, Strapi has already granted both roles a few actions, such as logging in and reading one's own
  // account.
  const granted = new Set(role.permissions.map(({ action }) => action));
  for (const action of actions) {
    if (!granted.has(action)) await strapi.db.query(uid).create({ data: { action, role: role.id } });
  }
};

export const seedPermissions = async (strapi: Core.Strapi) => {
  await grant(strapi, 'public', everyone);
  await grant(strapi, 'authenticated', [...everyone, ...customers]);
};
