import { Badge, Box, Checkbox, Flex, Table, Tbody, Td, Thead, Tr, Typography } from '@strapi/design-system';
import { useState } from 'react';
import { useActivityQuery, useMetricsQuery } from '../api/cache-api';
import type { Activity } from '../api/responses';
import { activityWords, actorWords } from '../components/activity-words';
import { LoadFailure, Loading, NothingHere } from '../components/instead-of-data';
import { MomentAgo } from '../components/moment-ago';
import { StoreAway } from '../components/provider-status';
import { NumberCell, NumberHeading, TextCell, TextHeading, WrappingTable } from '../components/table-cells';
import { useFormats } from '../format/use-formats';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';

/** The latest purges and changes. */
export const ActivityView = () => {
  const { words } = useWords();
  const [showsAll, setShowsAll] = useState(false);
  const { data, error, refetch } = useActivityQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  const { data: metrics } = useMetricsQuery();
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;
  const shown = data.results.filter(({ kind, entries }) => showsAll || kind === 'purge' || entries !== 0);
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      <StoreAway />
      <Flex justifyContent="space-between" alignItems="center" gap={4}>
        <Typography textColor="neutral600">{words('activity.hint')}</Typography>
        <Checkbox checked={showsAll} onCheckedChange={(checked) => setShowsAll(checked === true)}>
          {words('activity.all')}
        </Checkbox>
      </Flex>
      {shown.length === 0 ? (
        <NothingHere>{words(data.results.length === 0 ? 'activity.none' : 'activity.none-removed')}</NothingHere>
      ) : (
        <WrappingTable>
          <Table colCount={3} rowCount={shown.length + 1}>
            <Thead>
              <Tr>
                <TextHeading>{words('activity.when')}</TextHeading>
                <TextHeading>{words('activity.what')}</TextHeading>
                <NumberHeading>{words('activity.entries')}</NumberHeading>
              </Tr>
            </Thead>
            <Tbody>
              {shown.map((activity) => (
                <Row key={activity.id} activity={activity} now={metrics?.now ?? activity.at} />
              ))}
            </Tbody>
          </Table>
        </WrappingTable>
      )}
    </Flex>
  );
};

interface RowProps {
  readonly activity: Activity;
  /** The server's time. */
  readonly now: number;
}

const Row = ({ activity, now, ...row }: RowProps) => {
  const vocabulary = useWords();
  const { words } = vocabulary;
  const { count } = useFormats();
  return (
    <Tr {...row}>
      <TextCell>
        <MomentAgo at={activity.at} now={now} />
      </TextCell>
      <Td>
        <Box paddingTop={3} paddingBottom={3}>
          <Flex gap={2} wrap="wrap">
            <Badge>{words(`activity.kind.${activity.kind}`)}</Badge>
            <Typography>{activityWords(activity, vocabulary)}</Typography>
          </Flex>
          <Typography variant="pi" textColor="neutral600">
            {actorWords(activity.actor, vocabulary)}
          </Typography>
        </Box>
      </Td>
      <NumberCell>{activity.entries === null ? '–' : count(activity.entries)}</NumberCell>
    </Tr>
  );
};
