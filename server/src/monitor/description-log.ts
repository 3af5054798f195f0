import type { DescriptionSettings } from '../database/description-keeper';
import type { Notices } from './notices';

/** Says what in the database makes the cache do less. */
export const descriptionLog = (notices: Notices): Pick<DescriptionSettings, 'onDescribed' | 'onFailure'> => ({
  onDescribed: ({ tables }) => {
    const triggered = [...tables].filter(([, { hasTriggers }]) => hasTriggers).map(([name]) => name);
    if (triggered.length === 0) return;
    notices.warn(
      `the database has triggers or rules on ${triggered.join(', ')}: what they change cannot be seen, so every write to these tables invalidates everything`,
    );
  },
  onFailure: (error) =>
    notices.error(
      `the database could not be asked for its tables, keys and triggers: nothing is stored and every write invalidates everything until it can (${String(error)})`,
    ),
});
