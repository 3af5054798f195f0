import { Accordion, Box, Flex, Typography } from '@strapi/design-system';
import { useSearchParams } from 'react-router-dom';
import { useMetricsQuery, useProviderQuery, useStrategyQuery } from '../api/cache-api';
import { GRAPHQL, type ContentTypeStrategy } from '../api/responses';
import { Code } from '../components/code';
import { CopyButton } from '../components/copy-button';
import { Facts } from '../components/facts';
import { LoadFailure, Loading } from '../components/instead-of-data';
import { Section } from '../components/section';
import { useFormats } from '../format/use-formats';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { useWords } from '../hooks/use-words';
import { WarningNotice } from './warning-notice';

const SWITCHES = [
  'enableEtag',
  'enableXCacheHeaders',
  'enableContentApiPurge',
  'enableDocumentServiceMiddleware',
  'clearRelatedCache',
  'resetOnStartup',
  'honorRequestCacheControl',
] as const;

/** The configuration in words. */
export const ConfigurationView = () => {
  const { words } = useWords();
  const { canReadProvider } = useCachePermissions();
  const { data: strategy, error, refetch } = useStrategyQuery();
  const { data: provider } = useProviderQuery(undefined, { skip: !canReadProvider });
  const { data: metrics } = useMetricsQuery();
  const { duration } = useFormats();
  const [search] = useSearchParams();
  const opened = search.get('contentType') ?? undefined;
  if (strategy === undefined)
    return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;
  const types = [
    ...strategy.contentTypes.map((type) => ({ uid: type.uid, settings: <TypeSettings contentType={type} /> })),
    ...(strategy.graphql === null ? [] : [{ uid: GRAPHQL, settings: <RouteSettings {...strategy.graphql} /> }]),
  ];
  const yesNo = (value: boolean): string => words(value ? 'yes' : 'no');
  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      {metrics?.warnings.map((warning) => (
        <WarningNotice key={warning.text} warning={warning} />
      ))}
      <Section
        title={words('configuration.strategy')}
        action={<CopyButton text={() => JSON.stringify(strategy, null, 2)}>{words('configuration.copy')}</CopyButton>}
      >
        <Facts
          facts={[
            ...(provider === undefined
              ? []
              : [
                  { name: words('configuration.provider'), value: <Code>{provider.name}</Code> },
                  { name: words('configuration.getTimeout'), value: duration(provider.getTimeout) },
                ]),
            { name: words('configuration.maxAge'), value: duration(strategy.maxAge) },
            ...SWITCHES.map((name) => ({ name: words(`configuration.${name}`), value: yesNo(strategy[name]) })),
            { name: words('configuration.precision'), value: words(`configuration.precision.${strategy.precision}`) },
            {
              name: words('explain.lane'),
              value: words(strategy.lane === 'auto' ? 'configuration.lane.auto' : `lane.${strategy.lane}`),
            },
            {
              name: words('configuration.keysPrefix'),
              value: strategy.keysPrefix === '' ? words('configuration.none') : <Code>{strategy.keysPrefix}</Code>,
            },
          ]}
        />
      </Section>
      <Section title={words('configuration.types')}>
        <Accordion.Root {...(opened === undefined ? {} : { defaultValue: opened })}>
          {types.map(({ uid, settings }) => (
            <Accordion.Item key={uid} value={uid} ref={uid === opened ? scrollTo : null}>
              <Accordion.Header>
                <Accordion.Trigger>
                  {metrics?.contentTypes.find((named) => named.uid === uid)?.displayName ?? uid}
                </Accordion.Trigger>
              </Accordion.Header>
              <Accordion.Content>
                <Box padding={4}>{settings}</Box>
              </Accordion.Content>
            </Accordion.Item>
          ))}
        </Accordion.Root>
      </Section>
    </Flex>
  );
};

/** Declared outside the component: React would call a new ref callback, and so scroll, on each rendering. */
const scrollTo = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' });

const TypeSettings = ({ contentType }: { readonly contentType: ContentTypeStrategy }) => {
  const { words } = useWords();
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Code>{contentType.uid}</Code>
      {contentType.routes.length === 0 ? (
        <Typography>{words('configuration.no-routes')}</Typography>
      ) : (
        contentType.routes.map((route) => (
          <Box key={route.path}>
            <Box paddingBottom={2}>
              <Code>GET {route.path}</Code>
            </Box>
            <RouteSettings {...route} />
          </Box>
        ))
      )}
    </Flex>
  );
};

type RouteSettingsProps = Pick<ContentTypeStrategy, 'maxAge' | 'hitpass' | 'keys' | 'statuses'>;

const RouteSettings = ({ maxAge, hitpass, keys, statuses }: RouteSettingsProps) => {
  const { words } = useWords();
  const { duration } = useFormats();
  const { useQueryParams, useHeaders, useAuth } = keys;
  return (
    <Facts
      facts={[
        { name: words('configuration.maxAge'), value: duration(maxAge) },
        {
          name: words('configuration.statuses'),
          value:
            statuses
              .map(({ status, maxAge: own }) => (own === undefined ? String(status) : `${status} (${duration(own)})`))
              .join(', ') || words('configuration.none'),
        },
        {
          name: words('configuration.hitpass'),
          value: words(`configuration.hitpass.${hitpass === 'function' ? 'function' : hitpass ? 'yes' : 'no'}`),
        },
        {
          name: words('configuration.query'),
          value:
            typeof useQueryParams === 'boolean'
              ? words(useQueryParams ? 'configuration.query.all' : 'configuration.query.none')
              : useQueryParams.join(', ') || words('configuration.query.none'),
        },
        { name: words('configuration.headers'), value: useHeaders.join(', ') || words('configuration.none') },
        {
          name: words('configuration.auth'),
          value: words(`configuration.auth.${useAuth === 'role' ? 'role' : useAuth ? 'yes' : 'no'}`),
        },
      ]}
    />
  );
};
