import type { Core } from '@strapi/strapi';

export const seedAdministrator = async (strapi: Core.Strapi) => {
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
};
