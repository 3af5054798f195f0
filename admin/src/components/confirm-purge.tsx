import { ConfirmDialog } from '@strapi/strapi/admin';
import { Button, Dialog, type ButtonProps } from '@strapi/design-system';
import { Trash } from '@strapi/icons';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { keepFocus, useKeptFocus } from '../hooks/use-kept-focus';
import { useWords } from '../hooks/use-words';

interface ConfirmPurgeProps extends Pick<ButtonProps, 'variant' | 'size' | 'startIcon'> {
  /** What is purged: on the button, and as the title of the dialog. */
  readonly label: string;
  /** Rendered only when the dialog opens, so that the numbers it requests from the server are current. */
  readonly children: ReactNode;
  /** Whether there is nothing to purge. */
  readonly isEmpty?: boolean;
  readonly onConfirm: () => Promise<void>;
}

/** A button that opens a dialog, which asks for confirmation before anything is purged. */
export const ConfirmPurge = ({ label, children, isEmpty = false, onConfirm, ...button }: ConfirmPurgeProps) => {
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
      <Dialog.Trigger>
        <Button variant="danger-light" startIcon={<Trash />} disabled={isEmpty} {...button}>
          {label}
        </Button>
      </Dialog.Trigger>
      <ConfirmDialog
        title={label}
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
