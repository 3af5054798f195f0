import { Flex, Typography } from '@strapi/design-system';
import { useWords } from '../hooks/use-words';

/** What a purge removes, and what it does not reach. */
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
