import type { Core } from '@strapi/strapi';
import type { MaybePromise } from '../cache/provider';

/**
 * Does work after the database's connections are closed. Each is closed when it has been given back, so by then every
 * transaction has ended and its tags have been stamped. Strapi destroys its plugins long before that.
 */
export const afterDatabase = ({ db }: Core.Strapi, work: () => MaybePromise<void>): void => {
  const destroy = db.destroy.bind(db);
  db.destroy = async () => {
    await destroy();
    await work();
  };
};

/** Does work before the database's connections are closed, when Strapi's server takes no more requests. */
export const beforeDatabase = ({ db }: Core.Strapi, work: () => Promise<void>): void => {
  const destroy = db.destroy.bind(db);
  db.destroy = async () => {
    await work();
    await destroy();
  };
};

/**
 * Does work if the process ends while the database is open: `strapi console`, `strapi configuration:dump`, `strapi
 * admin:create-user` and many scripts end so. Nothing asynchronous happens any more by then.
 */
export const atSuddenEnd = (strapi: Core.Strapi, work: () => void): void => {
  process.once('exit', work);
  afterDatabase(strapi, () => void process.off('exit', work));
};
