import { Box, Flex, IconButton, Table, Tbody, Td, Thead, Tr, Typography } from '@strapi/design-system';
import { Trash } from '@strapi/icons';
import { useMetricsQuery, usePurgeMutation, useStatsQuery } from '../api/cache-api';
import type { ContentTypeMetrics } from '../api/responses';
import { Code } from '../components/code';
import { ConfirmPurge } from '../components/confirm-purge';
import { LoadFailure, Loading } from '../components/instead-of-data';
import { FirstConfiguration } from '../components/first-configuration';
import { StoreAway } from '../components/provider-status';
import { PurgeTypeQuestion } from '../components/purge-question';
import { LaneAdvice, RouteLane } from '../components/route-lane';
import { SharingBadge } from '../components/sharing-badge';
import { HiddenHeading, NumberCell, NumberHeading, TextHeading, WrappingTable } from '../components/table-cells';
import { TextLink } from '../components/text-link';
import { hitRatio } from '../format/hit-ratio';
import { useFormats } from '../format/use-formats';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { usePolling } from '../hooks/use-polling';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { typeEntriesLink } from './links';

/** What is cached, one row per content type. Counting entries enumerates the store, so it is done once per visit. */
export const ContentTypesView = () => {
  const { words } = useWords();
  const { canPurge } = useCachePermissions();
  const { data, error, refetch } = useMetricsQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  const stats = useStatsQuery(undefined, { refetchOnMountOrArgChange: true });
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;
  if (data.contentTypes.length === 0) return <FirstConfiguration />;

  const entries = new Map(stats.data?.contentTypes.map(({ uid, entries: held }) => [uid, held]));
  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      <StoreAway provider={data.provider} now={data.now} />
      <WrappingTable>
        <Table colCount={canPurge ? 6 : 5} rowCount={data.contentTypes.length + 1}>
          <Thead>
            <Tr>
              <TextHeading>{words('types.type')}</TextHeading>
              <NumberHeading>{words('types.entries')}</NumberHeading>
              <NumberHeading>{words('types.ratio')}</NumberHeading>
              <NumberHeading>{words('types.max-age')}</NumberHeading>
              <TextHeading>{words('types.routes')}</TextHeading>
              {canPurge ? <HiddenHeading>{words('types.actions')}</HiddenHeading> : null}
            </Tr>
          </Thead>
          <Tbody>
            {data.contentTypes.map((contentType) => (
              <Row
                key={contentType.uid}
                contentType={contentType}
                entries={entries.get(contentType.uid)}
                isCounting={stats.error === undefined}
                canPurge={canPurge}
              />
            ))}
          </Tbody>
        </Table>
      </WrappingTable>
    </Flex>
  );
};

interface RowProps {
  readonly contentType: ContentTypeMetrics;
  /** `undefined` while the entries are being counted, and where they cannot be counted. */
  readonly entries: number | undefined;
  readonly isCounting: boolean;
  readonly canPurge: boolean;
}

const Row = ({ contentType, entries, isCounting, canPurge, ...row }: RowProps) => {
  const { words } = useWords();
  const { count, ratio, duration } = useFormats();
  const { uid, displayName, sharing, maxAge, routes, shownContentTypes, counts } = contentType;
  return (
    <Tr {...row}>
      <Td>
        <Flex direction="column" alignItems="flex-start" gap={1} paddingTop={3} paddingBottom={3}>
          <Typography fontWeight="semiBold">{displayName}</Typography>
          <Code>{uid}</Code>
          <SharingBadge sharing={sharing} contentType={uid} />
          {routes.some((route) => route.sharing !== sharing) ? (
            <Typography variant="pi" textColor="neutral600">
              {words('sharing.differs')}
            </Typography>
          ) : null}
        </Flex>
      </Td>
      <NumberCell>
        {entries === undefined ? (
          words(isCounting ? 'types.counting' : 'types.uncounted')
        ) : (
          <TextLink
            to={typeEntriesLink(uid)}
            aria-label={words('types.entries.open', { type: displayName, count: entries })}
          >
            {count(entries)}
          </TextLink>
        )}
      </NumberCell>
      <NumberCell>{ratio(hitRatio(counts.day))}</NumberCell>
      <NumberCell>{duration(maxAge)}</NumberCell>
      <Td>
        <Flex direction="column" alignItems="flex-start" gap={2} paddingTop={3} paddingBottom={3}>
          {routes.map((route) => (
            <Box key={route.path}>
              <Flex gap={2} wrap="wrap">
                <Code>{route.path}</Code>
                {route.sharing === sharing ? null : <SharingBadge sharing={route.sharing} contentType={uid} />}
              </Flex>
              <Typography tag="p" variant="pi" textColor="neutral600">
                <RouteLane lane={route.lane} />
              </Typography>
              <LaneAdvice lane={route.lane} />
            </Box>
          ))}
          {shownContentTypes.length === 0 ? null : (
            <Box maxWidth="36rem">
              <Typography variant="pi" textColor="neutral600">
                {words('types.related', { types: shownContentTypes.map((type) => type.displayName).join(', ') })}
              </Typography>
            </Box>
          )}
        </Flex>
      </Td>
      {canPurge ? (
        <Td>
          <PurgeType uid={uid} displayName={displayName} />
        </Td>
      ) : null}
    </Tr>
  );
};

const PurgeType = ({ uid, displayName }: { readonly uid: string; readonly displayName: string }) => {
  const { words } = useWords();
  const [purge] = usePurgeMutation();
  const notice = usePurgeNotice();
  return (
    <Flex justifyContent="flex-end">
      <ConfirmPurge
        title={words('purge.type.title', { type: displayName })}
        trigger={
          <IconButton label={words('purge.type', { type: displayName })} variant="ghost">
            <Trash />
          </IconButton>
        }
        onConfirm={() => notice(purge({ contentType: uid }))}
      >
        <PurgeTypeQuestion uid={uid} displayName={displayName} />
      </ConfirmPurge>
    </Flex>
  );
};
