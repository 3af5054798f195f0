/** The part of `strapi.db` that ends it. */
interface Closable {
  destroy(): Promise<void>;
}

/**
 * Does something once the database's connections are gone. They go one by one as they are given back, so that by then
 * every transaction has ended and what it committed has been stamped. Strapi destroys its plugins long before.
 */
export const afterDatabase = (database: Closable, work: () => Promise<void>): void => {
  const destroy = database.destroy.bind(database);
  database.destroy = async () => {
    await destroy();
    await work();
  };
};
