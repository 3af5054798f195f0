import { Flex, Loader, Typography } from '@strapi/design-system';
import { usePurgePreviewQuery } from '../api/cache-api';
import type { PurgeSelection } from '../api/responses';
import { useWords } from '../hooks/use-words';

/** States what a purge removes, and which caches it does not reach. */
export const PurgeQuestion = ({ children }: { readonly children: string }) => {
  const { words } = useWords();
  return (
    <Flex direction="column" gap={2}>
      <Typography tag="p" textAlign="center">
        {children}
      </Typography>
      <Typography tag="p" textAlign="center" variant="pi" textColor="neutral600">
        {words('purge.reach')}
      </Typography>
    </Flex>
  );
};

interface CountedQuestionProps {
  readonly purge: PurgeSelection;
  /**
   * Makes the question from the number of responses that the purge would remove now; `undefined` where they cannot be
   * counted.
   */
  readonly children: (entries: number | undefined) => string;
}

export const CountedQuestion = ({ purge, children }: CountedQuestionProps) => {
  const { words } = useWords();
  const { data, isFetching } = usePurgePreviewQuery(purge, { refetchOnMountOrArgChange: true });
  if (isFetching) return <Loader small>{words('loading')}</Loader>;
  return <PurgeQuestion>{children(data?.entries)}</PurgeQuestion>;
};

/** Asks about purging a whole content type. */
export const PurgeTypeQuestion = ({
  uid,
  displayName: type,
}: {
  readonly uid: string;
  readonly displayName: string;
}) => {
  const { words } = useWords();
  return (
    <CountedQuestion purge={{ contentType: uid }}>
      {(count) => words(count === undefined ? 'purge.type.uncounted' : 'purge.type.question', { type, count })}
    </CountedQuestion>
  );
};
