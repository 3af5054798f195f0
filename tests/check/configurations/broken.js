module.exports = () => ({
  'rest-cache': {
    config: {
      provider: { nane: 'memory' },
      strategy: { maxAge: '60000', enableETagg: true, contentTypes: ['api::ferry.ferry'] },
    },
  },
});
