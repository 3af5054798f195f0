'use strict';

module.exports = () => async (ctx, next) => {
  await next();
  ctx.set('X-Served-By', 'bench');
};
