module.exports = () => ({ host: '127.0.0.1', port: 0, app: { keys: ['key'] } });
