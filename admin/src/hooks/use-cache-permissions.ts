import { useRBAC } from '@strapi/strapi/admin';
import { PURGE, READ_PROVIDER } from '../permissions';

const ASKED_FOR = [...READ_PROVIDER, ...PURGE];

/** What the admin may do with the cache. Until the permissions are loaded, everything is denied. */
export const useCachePermissions = () => {
  const { allowedActions } = useRBAC(ASKED_FOR);
  return { canReadProvider: allowedActions.canReadProvider === true, canPurge: allowedActions.canPurge === true };
};
