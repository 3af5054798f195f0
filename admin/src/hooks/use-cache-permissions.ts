import { useRBAC } from '@strapi/strapi/admin';
import { PURGE, READ_PROVIDER } from '../permissions';

const ASKED_FOR = [...READ_PROVIDER, ...PURGE];

/** What the admin may do with the cache; nothing while that is being found out. */
export const useCachePermissions = () => {
  const { allowedActions } = useRBAC(ASKED_FOR);
  return { canReadProvider: allowedActions.canReadProvider === true, canPurge: allowedActions.canPurge === true };
};
