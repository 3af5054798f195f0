import { Flex, Loader } from '@strapi/design-system';
import { useWords } from '../hooks/use-words';

/** As high as most views, so that nothing below jumps when they arrive. */
export const Loading = () => {
  const { words } = useWords();
  return (
    <Flex justifyContent="center" alignItems="center" minHeight="32rem">
      <Loader>{words('loading')}</Loader>
    </Flex>
  );
};
