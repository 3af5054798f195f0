import { ArrowClockwise } from '@strapi/icons';
import type { BulkActionComponent } from '@strapi/content-manager/strapi-admin';
import { usePurgeDocumentsMutation } from '../api/cache-api';
import { CountedQuestion } from '../components/purge-question';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { usePurgeable } from './use-purgeable';

/** "Purge from cache" for the documents selected in the list. */
export const PurgeDocumentsAction: BulkActionComponent = ({ model, documents }) => {
  const { words } = useWords();
  const isPurgeable = usePurgeable(model);
  const [purge] = usePurgeDocumentsMutation();
  const notice = usePurgeNotice();
  if (!isPurgeable) return null;
  const ids = [...new Set(documents.map(({ documentId }) => documentId))];
  const selection = { contentType: model, documents: ids };
  const askFor = (responses: number | undefined): string =>
    words(responses === undefined ? 'documents.purge.uncounted' : 'documents.purge.question', {
      count: ids.length,
      responses,
    });
  return {
    label: words('document.purge'),
    icon: <ArrowClockwise />,
    variant: 'tertiary',
    dialog: {
      type: 'dialog',
      title: words('document.purge'),
      content: <CountedQuestion purge={selection}>{askFor}</CountedQuestion>,
      confirmLabel: words('action.purge'),
      variant: 'danger',
      onConfirm: () => notice(purge(selection)),
    },
  };
};

PurgeDocumentsAction.displayName = 'RestCachePurgeDocuments';
