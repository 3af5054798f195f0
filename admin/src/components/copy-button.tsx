import { useClipboard, useNotification } from '@strapi/strapi/admin';
import { Button, type ButtonProps } from '@strapi/design-system';
import { Duplicate } from '@strapi/icons';
import { useWords } from '../hooks/use-words';

interface CopyButtonProps extends Pick<ButtonProps, 'variant' | 'size'> {
  readonly text: () => string;
  readonly children: string;
}

/** Copies a text to the clipboard, and reports whether the browser allowed it. */
export const CopyButton = ({ text, children, variant = 'secondary', size }: CopyButtonProps) => {
  const { words } = useWords();
  const { copy } = useClipboard();
  const { toggleNotification } = useNotification();
  const copyText = async (): Promise<void> => {
    const done = await copy(text());
    toggleNotification(
      done ? { type: 'success', message: words('copied') } : { type: 'warning', message: words('not-copied') },
    );
  };
  return (
    <Button variant={variant} size={size} startIcon={<Duplicate />} onClick={() => void copyText()}>
      {children}
    </Button>
  );
};
