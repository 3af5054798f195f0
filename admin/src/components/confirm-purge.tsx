import { ConfirmDialog } from '@strapi/strapi/admin';
import { Button, Dialog } from '@strapi/design-system';
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { keepFocus, useKeptFocus } from '../hooks/use-kept-focus';
import { useWords } from '../hooks/use-words';

interface ConfirmPurgeProps {
  /** A button; disabled if there is nothing to purge. */
  readonly trigger: ReactElement;
  readonly title: string;
  /** Rendered only when the dialog opens, so that the numbers it requests from the server are current. */
  readonly children: ReactNode;
  /** Whether there is nothing to purge. */
  readonly isEmpty?: boolean;
  readonly onConfirm: () => Promise<void>;
}

/** A button that opens a dialog, which asks for confirmation before anything is purged. */
export const ConfirmPurge = ({ trigger, title, children, isEmpty = false, onConfirm }: ConfirmPurgeProps) => {
  const { words } = useWords();
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  useKeptFocus();
  const wasOpen = useRef(false);
  // The button that would get the focus back has been disabled.
  useEffect(() => {
    if (isEmpty && !open && wasOpen.current) keepFocus();
    wasOpen.current ||= open;
  }, [isEmpty, open]);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    await onConfirm();
    setBusy(false);
    setOpen(false);
  };
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger>{trigger}</Dialog.Trigger>
      <ConfirmDialog
        title={title}
        endAction={
          <Button fullWidth variant="danger-light" loading={busy} onClick={() => void confirm()}>
            {words('action.purge')}
          </Button>
        }
      >
        {children}
      </ConfirmDialog>
    </Dialog.Root>
  );
};
