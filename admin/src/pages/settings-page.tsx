import { Layouts, Page } from '@strapi/strapi/admin';
import { Box, Tabs } from '@strapi/design-system';
import type { ComponentType } from 'react';
import { Navigate, useNavigate, useParams } from 'react-router-dom';
import { styled } from 'styled-components';
import { useMetricsQuery } from '../api/cache-api';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { PeriodProvider } from '../hooks/use-period';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';
import { SETTINGS_PATH } from '../plugin-id';
import { READ_STRATEGY } from '../permissions';
import type { Words } from '../translations/words';
import { ActivityView } from './activity-view';
import { ConfigurationView } from './configuration-view';
import { EntriesView } from './entries-view';
import { ExplainView } from './explain-view';
import { OverviewView } from './overview-view';
import { PurgeEverything } from './purge-everything';
import { RoutesView } from './routes-view';

interface View {
  /** The last part of the URL. */
  readonly path: string;
  readonly label: Words;
  readonly View: ComponentType;
}

const VIEWS: readonly [View, ...View[]] = [
  { path: 'overview', label: 'view.overview', View: OverviewView },
  { path: 'routes', label: 'view.routes', View: RoutesView },
  { path: 'entries', label: 'view.entries', View: EntriesView },
  { path: 'explain', label: 'view.explain', View: ExplainView },
  { path: 'activity', label: 'view.activity', View: ActivityView },
  { path: 'configuration', label: 'view.configuration', View: ConfigurationView },
];

/** In a narrow window the tabs scroll instead of the page. */
const ScrollingTabs = styled(Tabs.List)`
  max-width: 100%;
  overflow-x: auto;
  overflow-y: hidden;
  scrollbar-width: thin;

  > * {
    flex: none;
  }
`;

/** Declared outside the component: React would call a new ref callback, and so scroll, on each rendering. */
const scrollTo = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** Settings → REST Cache: one page, a tab per view, each with a URL of its own. All views share the metrics read here. */
const Settings = () => {
  const { words } = useWords();
  const { canPurge } = useCachePermissions();
  const navigate = useNavigate();
  const { data, refetch } = useMetricsQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  const path = useParams()['*'];
  const current = VIEWS.find((view) => view.path === path);
  if (current === undefined) return <Navigate to={`${SETTINGS_PATH}/${VIEWS[0].path}`} replace />;
  return (
    <Page.Main>
      <Page.Title>{words('name')}</Page.Title>
      <Layouts.Header
        title={words('name')}
        subtitle={words('subtitle')}
        primaryAction={canPurge ? <PurgeEverything /> : undefined}
      />
      <Layouts.Content>
        <Tabs.Root variant="simple" value={current.path} onValueChange={(next) => navigate(`${SETTINGS_PATH}/${next}`)}>
          <ScrollingTabs aria-label={words('views')}>
            {VIEWS.map(({ path: value, label }) => (
              <Tabs.Trigger key={value} value={value} ref={value === current.path ? scrollTo : null}>
                {words(label)}
              </Tabs.Trigger>
            ))}
          </ScrollingTabs>
          {VIEWS.map(({ path: value, View }) => (
            <Tabs.Content key={value} value={value}>
              <Box paddingTop={6} paddingBottom={8}>
                <View />
              </Box>
            </Tabs.Content>
          ))}
        </Tabs.Root>
      </Layouts.Content>
    </Page.Main>
  );
};

export const SettingsPage = () => (
  <Page.Protect permissions={READ_STRATEGY}>
    <PeriodProvider>
      <Settings />
    </PeriodProvider>
  </Page.Protect>
);
