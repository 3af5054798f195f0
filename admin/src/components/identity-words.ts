import type { useWords } from '../hooks/use-words';

/** The caller an entry belongs to, by name where they have one: the last part of its key in words. */
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
