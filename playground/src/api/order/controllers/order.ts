import { factories, type Core } from '@strapi/strapi';

const uid = 'api::order.order';

/** Customers see only their own orders. A caller without an account, such as an API token, is refused. */
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
    // The answer does not reveal whether the order belongs to someone else or does not exist.
    if (!order) return ctx.notFound();

    return this.transformResponse(await this.sanitizeOutput(order, ctx));
  },
}));
