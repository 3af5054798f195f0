'use strict';

module.exports =
  ({ populate }) =>
  (ctx, next) => {
    ctx.query.populate ??= populate;
    return next();
  };
