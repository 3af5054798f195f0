import type { Core } from '@strapi/strapi';
import type { MaybePromise } from '../cache/provider';

/** Work at the end of the database, which Strapi reaches long after it has destroyed its plugins. */
interface WorkAtTheEnd {
  /** While the connections are open, but Strapi's server takes no more requests. */
  readonly before?: () => MaybePromise<void>;
  /**
   * Each connection is closed when it has been given back, so by then every transaction has ended and its tags have been
   * stamped.
   */
  readonly after: () => MaybePromise<void>;
}

/** Does work before and after the database's connections are closed. */
export const atEndOfDatabase = ({ db }: Core.Strapi, { before, after }: WorkAtTheEnd): void => {
  const destroy = db.destroy.bind(db);
  db.destroy = async () => {
    await before?.();
    await destroy();
    await after();
  };
};

/**
 * Does work if the process ends while the database is open: `strapi console`, `strapi configuration:dump`, `strapi
 * admin:create-user` and many scripts end so. Nothing asynchronous happens any more by then.
 */
export const atSuddenEnd = (strapi: Core.Strapi, work: () => void): void => {
  process.once('exit', work);
  atEndOfDatabase(strapi, { after: () => void process.off('exit', work) });
};
