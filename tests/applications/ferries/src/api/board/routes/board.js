module.exports = {
  routes: [
    { method: 'GET', path: '/boards/departures', handler: 'board.departures' },
    { method: 'GET', path: '/boards/crew', handler: 'board.crew', config: { policies: ['global::on-duty'] } },
  ],
};
