export default ({ env }) => ({
  host: '127.0.0.1',
  port: env.int('PORT', 1337),
  app: { keys: ['package-test-one', 'package-test-two'] },
});
