import { Loader } from '@strapi/design-system';
import { usePurgePreviewQuery } from '../api/cache-api';
import { useWords } from '../hooks/use-words';
import { PurgeQuestion } from './purge-question';

/** Asks with the number of responses that the purge removes now. */
export const PurgeTypeQuestion = ({ uid, displayName }: { readonly uid: string; readonly displayName: string }) => {
  const { words } = useWords();
  const { data, isFetching } = usePurgePreviewQuery({ contentType: uid }, { refetchOnMountOrArgChange: true });
  if (isFetching) return <Loader small>{words('loading')}</Loader>;
  return (
    <PurgeQuestion>
      {data === undefined
        ? words('purge.type.uncounted', { type: displayName })
        : words('purge.type.question', { type: displayName, count: data.entries })}
    </PurgeQuestion>
  );
};
