module.exports = () => ({
  auth: { secret: 'secret' },
  apiToken: { salt: 'salt' },
  transfer: { token: { salt: 'salt' } },
});
