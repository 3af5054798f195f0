import { Loader } from '@strapi/design-system';
import { ArrowClockwise } from '@strapi/icons';
import type { DocumentActionComponent } from '@strapi/content-manager/strapi-admin';
import { useDocumentQuery, usePurgeDocumentsMutation } from '../api/cache-api';
import { PurgeQuestion } from '../components/purge-question';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { usePurgeable } from './use-purgeable';

/** "Purge from cache" in the menus of one document. */
export const PurgeDocumentAction: DocumentActionComponent = ({ model, documentId }) => {
  const { words } = useWords();
  const isPurgeable = usePurgeable(model);
  const [purge] = usePurgeDocumentsMutation();
  const notice = usePurgeNotice();
  if (!isPurgeable || documentId === undefined) return null;
  return {
    label: words('document.purge'),
    icon: <ArrowClockwise />,
    position: ['header', 'table-row'],
    dialog: {
      type: 'dialog',
      title: words('document.purge'),
      content: <Question uid={model} documentId={documentId} />,
      confirmLabel: words('action.purge'),
      variant: 'danger',
      onConfirm: () => notice(purge({ contentType: model, documents: [documentId] })),
    },
  };
};

PurgeDocumentAction.displayName = 'RestCachePurgeDocument';
PurgeDocumentAction.position = ['header', 'table-row'];

const Question = ({ uid, documentId }: { readonly uid: string; readonly documentId: string }) => {
  const { words } = useWords();
  const { data, isFetching } = useDocumentQuery({ uid, documentId }, { refetchOnMountOrArgChange: true });
  if (isFetching) return <Loader small>{words('loading')}</Loader>;
  const text =
    data === undefined ? words('document.purge.uncounted') : words('document.purge.question', { count: data.purges });
  return <PurgeQuestion>{text}</PurgeQuestion>;
};
