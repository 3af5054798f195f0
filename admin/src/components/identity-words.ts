import type { useWords } from '../hooks/use-words';

type Words = ReturnType<typeof useWords>['words'];

/** Says why users of a role do not share a response. */
export const lookedAtWords = (lookedAt: string, words: Words): string =>
  lookedAt === '' ? words('caller.unseen') : words('caller.looked', { what: lookedAt });

/**
 * Describes the caller an entry belongs to, by name where the caller has one. `identity` is the last part of the
 * entry's key.
 */
export const identityWords = (identity: string, name: string | null | undefined, words: Words): string => {
  if (identity === '') return words('caller.everybody');
  if (identity === 'up:public') return words('caller.anonymous');
  const [kind, number = ''] = identity.split(':');
  const id = name ?? number;
  switch (kind) {
    case 'up':
      return words('caller.user', { id });
    case 'role':
      return words('caller.role', { id });
    case 'token':
      return words('caller.token', { id });
    case 'admin':
      return words('caller.admin', { id });
    case 'strategy':
      return words('caller.strategy', { id: name ?? identity.slice('strategy:'.length) });
    default:
      return words('caller.unknown');
  }
};
