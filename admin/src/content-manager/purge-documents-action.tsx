import { Loader } from '@strapi/design-system';
import { ArrowClockwise } from '@strapi/icons';
import type { BulkActionComponent } from '@strapi/content-manager/strapi-admin';
import { usePurgeDocumentsMutation, usePurgePreviewQuery } from '../api/cache-api';
import { PurgeQuestion } from '../components/purge-question';
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
    icon: <ArrowClockwise />,
    variant: 'tertiary',
    dialog: {
      type: 'dialog',
      title: words('document.purge'),
      content: <Question uid={model} documentIds={ids} />,
      confirmLabel: words('action.purge'),
      variant: 'danger',
      onConfirm: () => notice(purge({ contentType: model, documents: ids })),
    },
  };
};

PurgeDocumentsAction.displayName = 'RestCachePurgeDocuments';

const Question = ({ uid, documentIds }: { readonly uid: string; readonly documentIds: readonly string[] }) => {
  const { words } = useWords();
  const { data, isFetching } = usePurgePreviewQuery(
    { contentType: uid, documents: documentIds },
    { refetchOnMountOrArgChange: true },
  );
  if (isFetching) return <Loader small>{words('loading')}</Loader>;
  const count = documentIds.length;
  return (
    <PurgeQuestion>
      {data === undefined
        ? words('documents.purge.uncounted', { count })
        : words('documents.purge.question', { count, responses: data.entries })}
    </PurgeQuestion>
  );
};
