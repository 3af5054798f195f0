import type { ButtonProps } from '@strapi/design-system';
import { usePurgeMutation } from '../api/cache-api';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { ConfirmPurge } from './confirm-purge';
import { PurgeTypeQuestion } from './purge-question';

interface PurgeTypeProps extends Pick<ButtonProps, 'size' | 'startIcon'> {
  readonly uid: string;
  readonly displayName: string;
  readonly label: string;
  /** Whether there is nothing to purge. */
  readonly isEmpty?: boolean;
}

/** Purges a content type, after a dialog has shown how many responses that removes. */
export const PurgeType = ({ uid, displayName, ...button }: PurgeTypeProps) => {
  const [purge] = usePurgeMutation();
  const notice = usePurgeNotice();
  return (
    <ConfirmPurge variant="tertiary" {...button} onConfirm={() => notice(purge({ contentType: uid }))}>
      <PurgeTypeQuestion uid={uid} displayName={displayName} />
    </ConfirmPurge>
  );
};
