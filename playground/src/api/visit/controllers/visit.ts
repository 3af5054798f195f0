import type { Core } from '@strapi/strapi';

const cookie = 'visits';

const controller: Core.Controller = {
  count(ctx) {
    const visits = (Number(ctx.cookies.get(cookie)) || 0) + 1;
    ctx.cookies.set(cookie, String(visits), { httpOnly: true, sameSite: 'lax' });

    return { data: { visits } };
  },
};

export default controller;
