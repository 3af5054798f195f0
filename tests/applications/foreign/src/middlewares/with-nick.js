/** Leaves the caller's nickname for the handler. */
module.exports = () => (ctx, next) => {
  ctx.state.nick = ctx.state.user?.nick;
  return next();
};
