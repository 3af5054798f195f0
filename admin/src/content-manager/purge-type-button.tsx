import { unstable_useContentManagerContext as useContentManagerContext } from '@strapi/strapi/admin';
import { ArrowClockwise } from '@strapi/icons';
import { PurgeType } from '../components/purge-type';
import { useWords } from '../hooks/use-words';
import { usePurgeable } from './use-purgeable';

/** Above the list view: purges the whole content type. */
export const PurgeTypeButton = () => {
  const { words } = useWords();
  const { model, contentType } = useContentManagerContext();
  const isPurgeable = usePurgeable(model);
  if (!isPurgeable) return null;
  const displayName = contentType?.info.displayName ?? model;
  return (
    <PurgeType
      uid={model}
      displayName={displayName}
      label={words('document.purge.type', { type: displayName })}
      startIcon={<ArrowClockwise />}
    />
  );
};
