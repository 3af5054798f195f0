import { Loader, Typography } from '@strapi/design-system';
import { useStatsQuery } from '../api/cache-api';
import { useWords } from '../hooks/use-words';

/** Asks with the number of entries as it is now. */
export const PurgeTypeQuestion = ({ uid, displayName }: { readonly uid: string; readonly displayName: string }) => {
  const { words } = useWords();
  const { data, isFetching } = useStatsQuery(undefined, { refetchOnMountOrArgChange: true });
  if (isFetching) return <Loader small>{words('loading')}</Loader>;
  const entries = data?.contentTypes.find((contentType) => contentType.uid === uid)?.entries;
  const text =
    entries === undefined
      ? words('purge.type.uncounted', { type: displayName })
      : words('purge.type.question', { type: displayName, count: entries });
  return <Typography textAlign="center">{text}</Typography>;
};
