/** Refuses if the flag is off, and leaves the flag's note for the handler. */
module.exports = async (policyContext, config, { strapi }) => {
  const flag = await strapi.db.query('api::flag.flag').findOne({ where: { name: config.flag } });
  policyContext.state.doors = flag === null ? 'unknown' : flag.note;
  return flag === null || flag.enabled;
};
