import { Button, EmptyStateLayout, Flex, Loader } from '@strapi/design-system';
import { EmptyDocuments } from '@strapi/icons/symbols';
import { useWords } from '../hooks/use-words';
import { describeFailure, statusOf, type QueryFailure } from './failure';
import { Notice } from './notice';

/** As high as most views, so that the content below does not jump when the data arrives. */
export const Loading = () => {
  const { words } = useWords();
  return (
    <Flex justifyContent="center" alignItems="center" minHeight="32rem">
      <Loader>{words('loading')}</Loader>
    </Flex>
  );
};

interface LoadFailureProps {
  readonly error: QueryFailure;
  readonly onRetry?: () => void;
}

/** Says that something could not be loaded, and the reason if the server gave one. */
export const LoadFailure = ({ error, onRetry }: LoadFailureProps) => {
  const vocabulary = useWords();
  const { words } = vocabulary;
  return (
    <Notice
      variant="danger"
      title={words(statusOf(error) === 400 ? 'failure.refused' : 'failure.title')}
      action={
        onRetry === undefined ? undefined : (
          <Button variant="tertiary" size="S" onClick={onRetry}>
            {words('action.retry')}
          </Button>
        )
      }
    >
      {describeFailure(error, vocabulary)}
    </Notice>
  );
};

/** Shown in place of an empty list. */
export const NothingHere = ({ children }: { readonly children: string }) => (
  <EmptyStateLayout icon={<EmptyDocuments width="16rem" />} content={children} hasRadius shadow="tableShadow" />
);
