import { useRBAC } from '@strapi/strapi/admin';
import { ALL_PERMISSIONS } from '../permissions';

export interface CachePermissions {
  readonly canRead: boolean;
  readonly canReadProvider: boolean;
  readonly canPurge: boolean;
}

/** What the admin may do with the cache; nothing while that is being found out. */
export const useCachePermissions = (): CachePermissions => {
  const { allowedActions } = useRBAC(ALL_PERMISSIONS);
  return {
    canRead: allowedActions.canReadStrategy === true,
    canReadProvider: allowedActions.canReadProvider === true,
    canPurge: allowedActions.canPurge === true,
  };
};
