import { Typography } from '@strapi/design-system';
import { Trash } from '@strapi/icons';
import type { BulkActionComponent } from '@strapi/content-manager/strapi-admin';
import { usePurgeDocumentsMutation } from '../api/cache-api';
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
  return {
    label: words('document.purge'),
    icon: <Trash />,
    variant: 'tertiary',
    dialog: {
      type: 'dialog',
      title: words('document.purge'),
      content: (
        <Typography tag="p" textAlign="center">
          {words('documents.purge.question', { count: ids.length })}
        </Typography>
      ),
      confirmLabel: words('action.purge'),
      variant: 'danger',
      onConfirm: () => notice(purge({ contentType: model, documents: ids })),
    },
  };
};

PurgeDocumentsAction.displayName = 'RestCachePurgeDocuments';
