import { Box, Flex, Searchbar, SearchForm, Typography } from '@strapi/design-system';
import { useSearchParams } from 'react-router-dom';
import { useRoutesHeldQuery, useRoutesQuery } from '../api/cache-api';
import { FirstConfiguration } from '../components/first-configuration';
import { LoadFailure, Loading, NothingHere } from '../components/instead-of-data';
import { PeriodChoice } from '../components/period-choice';
import { PlainTable, Scrolling, SortHeading } from '../components/plain-table';
import { StoreAway } from '../components/provider-status';
import { usePeriod } from '../hooks/use-period';
import { usePolling } from '../hooks/use-polling';
import { useWords } from '../hooks/use-words';
import { RouteGroup } from './route-group';
import { addCounts, addSizes, COLUMNS, comparing, costOf } from './route-numbers';

/**
 * The cached routes in one table, grouped by content type. Sorting orders the types by the sums of their routes. How
 * much is held is counted once for each visit, because that enumerates the store.
 */
export const RoutesView = () => {
  const { words } = useWords();
  const [period] = usePeriod();
  const [search, setSearch] = useSearchParams();
  const opened: ReadonlySet<string> = new Set(search.getAll('route'));
  const { data, error, refetch } = useRoutesQuery(undefined, { refetchOnMountOrArgChange: true });
  usePolling(refetch, data !== undefined);
  const held = useRoutesHeldQuery(undefined, { refetchOnMountOrArgChange: true });
  if (data === undefined) return error === undefined ? <Loading /> : <LoadFailure error={error} onRetry={refetch} />;
  if (data.contentTypes.length === 0) return <FirstConfiguration />;

  const sort = search.get('sort') ?? 'spent:desc';
  const filter = (search.get('filter') ?? '').toLowerCase();
  const change = (name: string, value: string): void => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  };
  const toggle = (path: string): void => {
    const next = new URLSearchParams(search);
    next.delete('route');
    for (const other of opened) if (other !== path) next.append('route', other);
    if (!opened.has(path)) next.append('route', path);
    setSearch(next, { replace: true });
  };

  const sizes = new Map(held.data?.routes.map((size) => [size.path, size]));
  const purges = new Map(held.data?.contentTypes.map(({ uid, purges: count }) => [uid, count]));
  const total = data.routes.reduce((sum, { counts }) => sum + costOf(counts[period]), 0);
  const compare = comparing(sort);
  const groups = data.contentTypes
    .map((contentType) => {
      const name = contentType.displayName;
      const isMeant = `${name} ${contentType.uid}`.toLowerCase().includes(filter);
      const routes = data.routes
        .filter(({ contentType: { uid } }) => uid === contentType.uid)
        .filter(({ path }) => isMeant || path.toLowerCase().includes(filter))
        .map((route) => ({
          route,
          name: route.path,
          counts: route.counts[period],
          share: total === 0 ? 0 : costOf(route.counts[period]) / total,
          size: held.data === undefined ? undefined : (sizes.get(route.path) ?? { entries: 0, bytes: 0 }),
        }))
        .sort(compare);
      const sums = {
        counts: addCounts(routes.map(({ counts }) => counts)),
        size: addSizes(routes.map(({ size }) => size)),
      };
      return { name, contentType, isMeant, routes, ...sums };
    })
    .filter(({ isMeant, routes }) => isMeant || routes.length > 0)
    .sort(compare);
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      <StoreAway />
      <Flex justifyContent="space-between" alignItems="flex-end" gap={4} wrap="wrap">
        <Box flex="1" minWidth="min(24rem, 100%)" maxWidth="40rem">
          <RouteFilter value={search.get('filter') ?? ''} onFilter={(text) => change('filter', text)} />
        </Box>
        <PeriodChoice />
      </Flex>
      {groups.length === 0 ? (
        <NothingHere>{words('routes.none-found')}</NothingHere>
      ) : (
        <Scrolling>
          <PlainTable>
            <thead>
              <tr>
                {COLUMNS.map((column) => (
                  <SortHeading
                    key={column}
                    column={column}
                    isNumber={column !== 'route'}
                    narrow={column === 'requests' || column === 'size' ? 'hidden' : undefined}
                    label={words(`routes.column.${column}`)}
                    sort={sort}
                    onSort={(next) => change('sort', next)}
                  />
                ))}
              </tr>
            </thead>
            {groups.map(({ contentType, routes }) => (
              <RouteGroup
                key={contentType.uid}
                contentType={contentType}
                routes={routes}
                purges={purges.get(contentType.uid)}
                isUnfolded={filter !== ''}
                opened={opened}
                onToggle={toggle}
              />
            ))}
          </PlainTable>
        </Scrolling>
      )}
      <Typography variant="pi" textColor="neutral600">
        {words('routes.hint')} {words(`scope.${data.scopes[period]}`)}
      </Typography>
    </Flex>
  );
};

interface RouteFilterProps {
  readonly value: string;
  readonly onFilter: (text: string) => void;
}

const RouteFilter = ({ value, onFilter }: RouteFilterProps) => {
  const { words } = useWords();
  return (
    <SearchForm onSubmit={(event) => event.preventDefault()}>
      <Searchbar
        name="filter"
        size="S"
        value={value}
        placeholder={words('routes.filter.placeholder')}
        clearLabel={words('action.clear')}
        onChange={(event) => onFilter(event.target.value)}
        onClear={() => onFilter('')}
      >
        {words('routes.filter')}
      </Searchbar>
    </SearchForm>
  );
};
