import { unstable_useContentManagerContext as useContentManagerContext } from '@strapi/strapi/admin';
import { Button } from '@strapi/design-system';
import { ArrowClockwise } from '@strapi/icons';
import { usePurgeMutation } from '../api/cache-api';
import { ConfirmPurge } from '../components/confirm-purge';
import { PurgeTypeQuestion } from '../components/purge-question';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { usePurgeable } from './use-purgeable';

/** Above the list view: purges the whole content type. */
export const PurgeTypeButton = () => {
  const { words } = useWords();
  const { model, contentType } = useContentManagerContext();
  const isPurgeable = usePurgeable(model);
  const [purge] = usePurgeMutation();
  const notice = usePurgeNotice();
  if (!isPurgeable) return null;
  const displayName = contentType?.info.displayName ?? model;
  return (
    <ConfirmPurge
      title={words('document.purge.type', { type: displayName })}
      trigger={
        <Button variant="tertiary" startIcon={<ArrowClockwise />}>
          {words('document.purge.type', { type: displayName })}
        </Button>
      }
      onConfirm={() => notice(purge({ contentType: model }))}
    >
      <PurgeTypeQuestion uid={model} displayName={displayName} />
    </ConfirmPurge>
  );
};
