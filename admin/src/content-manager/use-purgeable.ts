import { usePurgeableQuery } from '../api/cache-api';
import { useCachePermissions } from '../hooks/use-cache-permissions';

/** Whether documents of this type are cached and the admin may purge them. */
export const usePurgeable = (uid: string): boolean => {
  const { canPurge } = useCachePermissions();
  const { data } = usePurgeableQuery(undefined, { skip: !canPurge });
  return canPurge && data?.contentTypes.includes(uid) === true;
};
