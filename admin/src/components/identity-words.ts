import type { useWords } from '../hooks/use-words';

/**
 * Describes the caller an entry belongs to, by name where the caller has one. `identity` is the last part of the
 * entry's key.
 */
export const identityWords = (
  identity: string,
  name: string | null | undefined,
  words: ReturnType<typeof useWords>['words'],
): string => {
  if (identity === '') return words('caller.everybody');
  if (identity === 'up:public') return words('caller.anonymous');
  const [kind, number = ''] = identity.split(':');
  const id = name ?? number;
  switch (kind) {
    case 'up':
      return words('caller.user', { id });
    case 'token':
      return words('caller.token', { id });
    case 'admin':
      return words('caller.admin', { id });
    default:
      return words('caller.strategy', { id });
  }
};
