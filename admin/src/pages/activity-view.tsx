import { Badge, Box, Field, Flex, Table, Tbody, Td, Th, Thead, Toggle, Tr, Typography } from '@strapi/design-system';
import { useState } from 'react';
import { useActivityQuery, useMetricsQuery } from '../api/cache-api';
import type { Activity } from '../api/responses';
import { activityWords, actorWords } from '../components/activity-words';
import { LoadFailure } from '../components/load-failure';
import { Loading } from '../components/loading';
import { NothingHere } from '../components/nothing-here';
import { StoreAway } from '../components/provider-status';
import { Tabular } from '../components/stat-tile';
import { useFormats } from '../format/use-formats';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';

const COLUMNS = ['when', 'who', 'what', 'entries'] as const;

/** The latest purges and changes. */
export const ActivityView = () => {
  const { words } = useWords();
  const [showsAll, setShowsAll] = useState(false);
  const { data, error, refetch } = useActivityQuery(undefined, usePolling());
  const { data: metrics } = useMetricsQuery();
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;
  const shown = data.results.filter(({ kind, entries }) => showsAll || kind === 'purge' || entries !== 0);
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      {metrics === undefined ? null : <StoreAway provider={metrics.provider} now={metrics.now} />}
      <Flex justifyContent="space-between" alignItems="center" gap={4}>
        <Typography textColor="neutral600">{words('activity.hint')}</Typography>
        <Field.Root name="all">
          <Flex gap={3}>
            <Field.Label>{words('activity.all')}</Field.Label>
            <Toggle
              checked={showsAll}
              onLabel={words('action.on')}
              offLabel={words('action.off')}
              onChange={(event) => setShowsAll(event.target.checked)}
            />
          </Flex>
        </Field.Root>
      </Flex>
      {shown.length === 0 ? (
        <NothingHere>{words('activity.none')}</NothingHere>
      ) : (
        <Table colCount={COLUMNS.length} rowCount={shown.length + 1}>
          <Thead>
            <Tr>
              {COLUMNS.map((column) => (
                <Th key={column}>
                  <Typography variant="sigma" textColor="neutral600">
                    {words(`activity.${column}`)}
                  </Typography>
                </Th>
              ))}
            </Tr>
          </Thead>
          <Tbody>
            {shown.map((activity) => (
              <Row key={activity.id} activity={activity} />
            ))}
          </Tbody>
        </Table>
      )}
    </Flex>
  );
};

const Row = ({ activity }: { readonly activity: Activity }) => {
  const vocabulary = useWords();
  const { words } = vocabulary;
  const { moment, count } = useFormats();
  return (
    <Tr>
      <Td>
        <Tabular>{moment(activity.at)}</Tabular>
      </Td>
      <Td>{actorWords(activity.actor, vocabulary)}</Td>
      <Td>
        <Flex gap={2} wrap="wrap" paddingTop={3} paddingBottom={3}>
          <Badge>{words(`activity.kind.${activity.kind}`)}</Badge>
          <Box maxWidth="44rem">
            <Typography>{activityWords(activity, vocabulary)}</Typography>
          </Box>
        </Flex>
      </Td>
      <Td>
        <Tabular>{activity.entries === null ? '–' : count(activity.entries)}</Tabular>
      </Td>
    </Tr>
  );
};
