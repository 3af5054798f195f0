import type { Core } from '@strapi/strapi';

const uid = 'plugin::users-permissions.user';
const names = ['alice', 'bob'];

export interface Customer {
  documentId: string;
  username: string;
}

export const seedCustomers = async (strapi: Core.Strapi): Promise<Customer[]> => {
  const role = await strapi.db
    .query('plugin::users-permissions.role')
    .findOne({ select: ['id'], where: { type: 'authenticated' } });

  const customers: Customer[] = [];
  for (const username of names) {
    const customer: Customer = await strapi.service(uid).add({
      username,
      email: `${username}@example.com`,
      password: 'Passw0rd1',
      provider: 'local',
      confirmed: true,
      blocked: false,
      role: role.id,
    });
    customers.push(customer);
  }
  return customers;
};
