import { Flex, Typography } from '@strapi/design-system';
import type { PanelComponent } from '@strapi/content-manager/strapi-admin';
import { useDocumentQuery } from '../api/cache-api';
import { describeFailure } from '../components/failure';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';
import { usePurgeable } from './use-purgeable';

/**
 * In the side panel of the edit view: how many cached responses show this document. They are counted again once it was
 * saved or published. Strapi's own `documentId` is missing for single types.
 */
export const CachePanel: PanelComponent = ({ model, document }) => {
  const { words } = useWords();
  const isPurgeable = usePurgeable(model);
  if (!isPurgeable || document?.documentId === undefined) return null;
  const { documentId, updatedAt, status } = document;
  return {
    title: words('panel.title'),
    content: <InCache key={`${String(updatedAt)} ${String(status)}`} uid={model} documentId={documentId} />,
  };
};

CachePanel.displayName = 'RestCachePanel';

const InCache = ({ uid, documentId }: { readonly uid: string; readonly documentId: string }) => {
  const vocabulary = useWords();
  const { words } = vocabulary;
  const { duration } = useFormats();
  const { data, error } = useDocumentQuery({ uid, documentId }, { refetchOnMountOrArgChange: true });
  return (
    <Flex
      id="rest-cache-panel"
      direction="column"
      alignItems="flex-start"
      gap={2}
      aria-live="polite"
      aria-busy={data === undefined && error === undefined}
    >
      <Typography tag="p">
        {data === undefined
          ? error === undefined
            ? words('loading')
            : describeFailure(error, vocabulary)
          : data.oldestAge === null
            ? words('panel.none')
            : words('panel.some', { count: data.responses, age: duration(data.oldestAge) })}
      </Typography>
    </Flex>
  );
};
