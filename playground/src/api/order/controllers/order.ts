import { factories, type Core } from '@strapi/strapi';

const uid = 'api::order.order';

/** A customer sees their own orders. A caller without an account, such as an API token, has none to see. */
export default factories.createCoreController(uid, ({ strapi }) => ({
  async find(this: Core.CoreAPI.Controller.Base, ctx) {
    const { user } = ctx.state;
    if (!user) return ctx.forbidden();

    await this.validateQuery(ctx);
    const query = await this.sanitizeQuery(ctx);

    const { results, pagination } = await strapi.service(uid).find({
      ...query,
      filters: { $and: [query.filters ?? {}, { owner: { id: user.id } }] },
    });

    return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination });
  },

  async findOne(this: Core.CoreAPI.Controller.Base, ctx) {
    const { user } = ctx.state;
    if (!user) return ctx.forbidden();

    await this.validateQuery(ctx);
    const query = await this.sanitizeQuery(ctx);

    const order = await strapi.documents(uid).findFirst({
      ...query,
      filters: { documentId: ctx.params.id, owner: { id: user.id } },
    });
    // A stranger's order and no order at all are the same answer.
    if (!order) return ctx.notFound();

    return this.transformResponse(await this.sanitizeOutput(order, ctx));
  },
}));
