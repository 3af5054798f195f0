import { Alert, Box, Button } from '@strapi/design-system';
import { useWords } from '../hooks/use-words';
import { describeFailure, type QueryFailure } from './failure';

interface LoadFailureProps {
  readonly error: QueryFailure;
  readonly onRetry?: () => void;
}

/** Says that something could not be loaded, and why as far as the server told. */
export const LoadFailure = ({ error, onRetry }: LoadFailureProps) => {
  const { words } = useWords();
  return (
    <Alert
      variant="danger"
      title={words('failure.title')}
      closeLabel={words('action.close')}
      onClose={onRetry}
      action={
        onRetry === undefined ? undefined : (
          <Box>
            <Button variant="tertiary" size="S" onClick={onRetry}>
              {words('action.retry')}
            </Button>
          </Box>
        )
      }
    >
      {describeFailure(error, words)}
    </Alert>
  );
};
