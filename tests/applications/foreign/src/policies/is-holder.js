/** Allows the request if the caller holds a ticket. */
module.exports = async (policyContext, _config, { strapi }) => {
  const { user } = policyContext.state;
  if (user === undefined) return false;
  const count = await strapi.db.query('api::ticket.ticket').count({ where: { holder: { id: user.id } } });
  policyContext.state.tickets = count;
  return count > 0;
};
