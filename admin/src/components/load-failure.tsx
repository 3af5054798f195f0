import { Button } from '@strapi/design-system';
import { useWords } from '../hooks/use-words';
import { describeFailure, type QueryFailure } from './failure';
import { Notice } from './notice';

interface LoadFailureProps {
  readonly error: QueryFailure;
  readonly onRetry?: () => void;
}

/** Says that something could not be loaded, and why as far as the server told. */
export const LoadFailure = ({ error, onRetry }: LoadFailureProps) => {
  const { words } = useWords();
  return (
    <Notice
      variant="danger"
      title={words('failure.title')}
      action={
        onRetry === undefined ? undefined : (
          <Button variant="tertiary" size="S" onClick={onRetry}>
            {words('action.retry')}
          </Button>
        )
      }
    >
      {describeFailure(error, words)}
    </Notice>
  );
};
