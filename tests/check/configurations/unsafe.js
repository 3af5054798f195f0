module.exports = () => ({
  'rest-cache': {
    config: {
      strategy: {
        keys: { useHeaders: ['authorization'] },
        contentTypes: [{ contentType: 'api::ferry.ferry', hitpass: false }, 'api::office.office'],
      },
    },
  },
});
