import { useNotification } from '@strapi/strapi/admin';
import type { Purged } from '../api/responses';
import { describeFailure, type QueryFailure } from '../components/failure';
import { useWords } from './use-words';

type Outcome = { readonly data: Purged } | { readonly error: unknown };

/**
 * Notifies the admin of the outcome of a purge: how many responses it removed, or why the server refused. Calls `onDone`
 * unless it was refused.
 */
export const usePurgeNotice = (): ((purge: Promise<Outcome>, onDone?: () => void) => Promise<void>) => {
  const { toggleNotification } = useNotification();
  const vocabulary = useWords();
  const { words } = vocabulary;
  return async (purge, onDone) => {
    const outcome = await purge;
    if ('error' in outcome) {
      toggleNotification({ type: 'danger', message: describeFailure(outcome.error as QueryFailure, vocabulary) });
      return;
    }
    onDone?.();
    const { entries, queued } = outcome.data;
    if (queued === true) {
      toggleNotification({ type: 'warning', message: words('purge.queued') });
      return;
    }
    const message = entries === null ? words('purge.done.uncounted') : words('purge.done', { count: entries });
    toggleNotification({ type: 'success', message });
  };
};
