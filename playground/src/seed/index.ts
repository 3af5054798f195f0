import type { Core } from '@strapi/strapi';
import { seedAdministrator } from './administrator';
import { seedApiToken } from './api-token';
import { seedArticles } from './articles';
import { authorNames, seedAuthors } from './authors';
import { seedCategories } from './categories';
import { seedCustomers } from './customers';
import { seedEditors } from './editors';
import { seedHomepage } from './homepage';
import { seedImages } from './images';
import { seedLocales } from './locales';
import { seedOrders } from './orders';
import { seedPermissions } from './permissions';
import { seedTags } from './tags';

const isSeeded = async (strapi: Core.Strapi) => {
  const administrators = await strapi.db.query('admin::user').count();
  const articles = await strapi.db.query('api::article.article').count();
  return administrators > 0 || articles > 0;
};

const seedAll = async (strapi: Core.Strapi) => {
  await seedLocales(strapi);

  const { pictures, avatars } = await seedImages(strapi, authorNames.length);
  const categories = await seedCategories(strapi);
  const tags = await seedTags(strapi);
  const authors = await seedAuthors(strapi, avatars);
  await seedEditors(strapi);
  const articles = await seedArticles(strapi, { pictures, categories, authors, tags });
  await seedHomepage(strapi, pictures, articles.slice(0, 5));

  await seedPermissions(strapi);
  await seedOrders(strapi, await seedCustomers(strapi));
  await seedAdministrator(strapi);
  await seedApiToken(strapi);
};

/** Fills an empty database at the first boot. */
export const seed = async (strapi: Core.Strapi) => {
  if (await isSeeded(strapi)) return;

  strapi.log.info('The database is empty: seeding the playground.');
  const start = performance.now();

  // A single transaction, so that an interrupted seeding leaves nothing behind and SQLite waits for the disk only once.
  await strapi.db.transaction(() => seedAll(strapi));

  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  strapi.log.info(`Seeded the playground in ${seconds} s. Settings → API Tokens shows a token that may do everything.`);
};
