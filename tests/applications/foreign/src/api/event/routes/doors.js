/** Routes in addition to the core ones. They show what a policy or a middleware has loaded. */
module.exports = {
  routes: [
    {
      method: 'GET',
      path: '/doors',
      handler: 'api::event.doors.show',
      config: { auth: false, policies: [{ name: 'global::doors-open', config: { flag: 'doors' } }] },
    },
    {
      method: 'GET',
      path: '/house',
      handler: 'api::event.doors.house',
      config: { auth: false, middlewares: [{ name: 'global::with-house', config: { slug: 'north' } }] },
    },
    {
      method: 'GET',
      path: '/house-of-caller',
      handler: 'api::event.doors.house',
      config: {
        auth: false,
        middlewares: [{ name: 'global::with-house', config: { slug: 'north', header: 'x-house' } }],
      },
    },
    {
      method: 'GET',
      path: '/house-unkeyed',
      handler: 'api::event.doors.house',
      config: {
        auth: false,
        middlewares: [{ name: 'global::with-house', config: { slug: 'north', header: 'x-house' } }],
      },
    },
    {
      method: 'GET',
      path: '/flags-of-state',
      handler: 'api::event.doors.flags',
      config: { auth: false, middlewares: ['global::with-flags'] },
    },
    { method: 'GET', path: '/site', handler: 'api::event.doors.site', config: { auth: false } },
    { method: 'GET', path: '/card', handler: 'api::event.doors.card' },
    { method: 'GET', path: '/events/:slug/sheet', handler: 'api::event.doors.sheet', config: { auth: false } },
  ],
};
