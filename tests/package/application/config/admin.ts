export default () => ({
  auth: { secret: 'package-test-admin' },
  apiToken: { salt: 'package-test-api' },
  transfer: { token: { salt: 'package-test-transfer' } },
});
