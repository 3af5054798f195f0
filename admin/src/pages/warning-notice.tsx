import { ConfirmDialog, useNotification } from '@strapi/strapi/admin';
import { Box, Button, Dialog, Field, Flex, TextInput } from '@strapi/design-system';
import { useId, useState, type FormEvent } from 'react';
import { styled } from 'styled-components';
import { useAcknowledgeMutation } from '../api/cache-api';
import { LONGEST_REASON, type Warning } from '../api/responses';
import { actorWords } from '../components/activity-words';
import { Code } from '../components/code';
import { CopyButton } from '../components/copy-button';
import { describeFailure } from '../components/failure';
import { Notice } from '../components/notice';
import { useFormats } from '../format/use-formats';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { useWords } from '../hooks/use-words';

/** Breaks anywhere: an option, a path and perhaps a reason contain no space. */
const Line = styled.span`
  display: block;
  overflow-wrap: anywhere;
`;

/**
 * A warning: its text, where it is explained, who has acknowledged it and why. Admins who may purge also get a button
 * that acknowledges it.
 */
export const WarningNotice = ({
  warning: { text, sentence, explainedIn, acknowledged },
}: {
  readonly warning: Warning;
}) => {
  const vocabulary = useWords();
  const { words, rich } = vocabulary;
  const { moment } = useFormats();
  const { canPurge } = useCachePermissions();
  const { toggleNotification } = useNotification();
  const [send, { isLoading }] = useAcknowledgeMutation();
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const form = useId();
  const acknowledge = async (given: string | null): Promise<void> => {
    const outcome = await send({ warning: text, reason: given });
    if ('error' in outcome) toggleNotification({ type: 'danger', message: describeFailure(outcome.error, vocabulary) });
    else setReason('');
    setOpen(false);
  };
  const isAcknowledged = acknowledged !== null;
  // The same button for both actions, so that the focus can return to it.
  const button = (
    <Dialog.Trigger>
      <Button variant="tertiary" size="S" aria-haspopup={isAcknowledged ? undefined : 'dialog'}>
        {words(isAcknowledged ? 'warnings.undo' : 'warnings.acknowledge')}
      </Button>
    </Dialog.Trigger>
  );
  // Closing the dialog undoes nothing: another admin may have acknowledged the warning while it was open.
  const change = (wanted: boolean): void => (wanted && isAcknowledged ? void acknowledge(null) : setOpen(wanted));
  return (
    <Dialog.Root open={open} onOpenChange={change}>
      <Notice
        variant={isAcknowledged ? 'neutral' : 'warning'}
        title={words(isAcknowledged ? 'warnings.one.acknowledged' : 'warnings.one')}
        action={
          <Flex gap={2}>
            <CopyButton variant="tertiary" size="S" text={() => explainedIn}>
              {words('warnings.copy-path')}
            </CopyButton>
            {canPurge ? button : null}
          </Flex>
        }
      >
        <Line>{vocabulary.sentence(sentence)}</Line>
        <Line>{rich('warnings.explained', { path: <Code key="path">{explainedIn}</Code> })}</Line>
        {isAcknowledged ? (
          <Line>
            {words('warnings.acknowledged', {
              who: actorWords(acknowledged.by, vocabulary),
              at: moment(acknowledged.at),
              reason: acknowledged.reason,
            })}
          </Line>
        ) : null}
      </Notice>
      <ConfirmDialog
        title={words('warnings.acknowledge')}
        endAction={
          <Button fullWidth type="submit" form={form} disabled={reason.trim() === ''} loading={isLoading}>
            {words('warnings.acknowledge')}
          </Button>
        }
      >
        <Box
          tag="form"
          id={form}
          width="100%"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void acknowledge(reason.trim());
          }}
        >
          <Field.Root name="reason" required hint={words('warnings.reason.hint', { count: LONGEST_REASON })}>
            <Field.Label>{words('warnings.reason')}</Field.Label>
            <TextInput
              autoFocus
              value={reason}
              maxLength={LONGEST_REASON}
              onChange={(event) => setReason(event.target.value)}
            />
            <Field.Hint />
          </Field.Root>
        </Box>
      </ConfirmDialog>
    </Dialog.Root>
  );
};
