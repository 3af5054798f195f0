import type { Core } from '@strapi/strapi';
import type { Customer } from './customers';
import { Random } from './random';

const states = ['pending', 'paid', 'shipped', 'cancelled'] as const;

export const seedOrders = async (strapi: Core.Strapi, customers: Customer[]) => {
  const random = new Random(6000);

  for (const { username, documentId } of customers) {
    for (let count = 1; count <= 5; count += 1) {
      await strapi.documents('api::order.order').create({
        data: {
          number: `${username.toUpperCase()}-${count}`,
          total: random.between(500, 25_000) / 100,
          state: random.pick(states),
          owner: documentId,
        },
      });
    }
  }
};
