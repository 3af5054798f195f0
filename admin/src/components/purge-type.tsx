import { Button } from '@strapi/design-system';
import { Trash } from '@strapi/icons';
import { usePurgeMutation } from '../api/cache-api';
import { ConfirmPurge } from '../components/confirm-purge';
import { PurgeTypeQuestion } from '../components/purge-question';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';

interface PurgeTypeProps {
  readonly uid: string;
  readonly displayName: string;
  /** Whether there is nothing to purge. */
  readonly isEmpty: boolean;
}

/** Purges a content type, after a dialog has shown how many responses that removes. */
export const PurgeType = ({ uid, displayName, isEmpty }: PurgeTypeProps) => {
  const { words } = useWords();
  const [purge] = usePurgeMutation();
  const notice = usePurgeNotice();
  return (
    <ConfirmPurge
      title={words('purge.type.title', { type: displayName })}
      trigger={
        <Button size="S" variant="tertiary" startIcon={<Trash />} disabled={isEmpty}>
          {words('purge.type', { type: displayName })}
        </Button>
      }
      isEmpty={isEmpty}
      onConfirm={() => notice(purge({ contentType: uid }))}
    >
      <PurgeTypeQuestion uid={uid} displayName={displayName} />
    </ConfirmPurge>
  );
};
