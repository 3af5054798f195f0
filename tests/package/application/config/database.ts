const { DATABASE_URL: url } = process.env;

export default () =>
  url === undefined
    ? { connection: { client: 'sqlite', connection: { filename: '.tmp/data.db' }, useNullAsDefault: true } }
    : { connection: { client: 'postgres', connection: { connectionString: url } } };
