import { ArrowClockwise } from '@strapi/icons';
import type { DocumentActionComponent } from '@strapi/content-manager/strapi-admin';
import { usePurgeDocumentsMutation } from '../api/cache-api';
import { CountedQuestion } from '../components/purge-question';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { usePurgeable } from './use-purgeable';

/** "Purge from cache" in the menus of one document. Strapi's own `documentId` is missing for single types. */
export const PurgeDocumentAction: DocumentActionComponent = ({ model, document }) => {
  const { words } = useWords();
  const isPurgeable = usePurgeable(model);
  const [purge] = usePurgeDocumentsMutation();
  const notice = usePurgeNotice();
  if (!isPurgeable || document?.documentId === undefined) return null;
  const selection = { contentType: model, documents: [document.documentId] };
  return {
    label: words('document.purge'),
    icon: <ArrowClockwise />,
    position: ['header', 'table-row'],
    dialog: {
      type: 'dialog',
      title: words('document.purge'),
      content: (
        <CountedQuestion purge={selection}>
          {(count) => words(count === undefined ? 'document.purge.uncounted' : 'document.purge.question', { count })}
        </CountedQuestion>
      ),
      confirmLabel: words('action.purge'),
      variant: 'danger',
      onConfirm: () => notice(purge(selection)),
    },
  };
};

PurgeDocumentAction.displayName = 'RestCachePurgeDocument';
PurgeDocumentAction.position = ['header', 'table-row'];
