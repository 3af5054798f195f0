module.exports = () => ({
  'rest-cache': {
    config: {
      strategy: {
        contentTypes: [
          { contentType: 'api::ferry.ferry', hitpass: false, keys: { useAuth: true }, maxAge: 30_000 },
          { contentType: 'api::office.office', routes: [{ path: '/boards/crew', repeatable: true }] },
        ],
      },
    },
  },
});
