/** Handlers that write by SQL, in transactions of their own. */
module.exports = ({ strapi }) => ({
  async pay(ctx) {
    await strapi.db.transaction(async ({ trx }) => {
      const ticket = await strapi.db
        .connection('tickets')
        .transacting(trx)
        .where({ code: ctx.request.body.code })
        .forUpdate()
        .first();
      const state = ticket.state === 'paid' ? 'held' : 'paid';
      await strapi.db.connection('tickets').transacting(trx).where({ id: ticket.id }).update({ state });
      await strapi.db.connection('bo_stock').transacting(trx).where({ sku: 'rope' }).increment('reserved', 1);
    });
    ctx.body = { done: true };
  },

  /** Responds right after its commit; nothing else has awaited the transaction's promise by then. */
  async restock(ctx) {
    const { sku, amount } = ctx.request.body;
    const transaction = await strapi.db.connection.transaction();
    try {
      await transaction('bo_stock').where({ sku }).update({ amount, reserved: 0 });
      await transaction.commit();
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    ctx.status = 204;
  },

  async fail(ctx) {
    await strapi.db
      .transaction(async () => {
        await strapi.db.query('api::house.house').updateMany({ where: {}, data: { motto: 'never said' } });
        await strapi.db.connection('bo_tasks').update({ title: 'never done' });
        throw new Error('no');
      })
      .catch(() => undefined);
    ctx.body = { failed: true };
  },

  async rollover(ctx) {
    await strapi.db.connection.raw('update bo_tasks set status_id = 3 - status_id where status_id in (1, 2)');
    ctx.body = { done: true };
  },
});
