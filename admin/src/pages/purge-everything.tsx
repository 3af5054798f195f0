import { Loader, Typography } from '@strapi/design-system';
import { useMetricsQuery, useResetMutation, useStatsQuery } from '../api/cache-api';
import { ConfirmPurge } from '../components/confirm-purge';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';

/** Empties the cache, after a dialog has shown how many responses that removes. */
export const PurgeEverything = () => {
  const { words } = useWords();
  const [reset] = useResetMutation();
  const notice = usePurgeNotice();
  const { data } = useMetricsQuery();
  return (
    <ConfirmPurge
      label={words('purge.everything')}
      isEmpty={data?.usage?.entries === 0}
      onConfirm={() => notice(reset())}
    >
      <Question />
    </ConfirmPurge>
  );
};

const Question = () => {
  const { words } = useWords();
  const { data, isFetching } = useStatsQuery(undefined, { refetchOnMountOrArgChange: true });
  if (isFetching) return <Loader small>{words('loading')}</Loader>;
  const text =
    data === undefined
      ? words('purge.everything.uncounted')
      : words('purge.everything.question', { count: data.totals.entries });
  return <Typography textAlign="center">{text}</Typography>;
};
