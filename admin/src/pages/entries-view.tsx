import { Pagination } from '@strapi/strapi/admin';
import {
  Box,
  Checkbox,
  Flex,
  IconButton,
  SingleSelect,
  SingleSelectOption,
  Table,
  Tbody,
  Thead,
  Tr,
} from '@strapi/design-system';
import { ArrowClockwise } from '@strapi/icons';
import { useState } from 'react';
import { Navigate } from 'react-router-dom';
import { styled } from 'styled-components';
import { useEntriesQuery, useMetricsQuery, usePurgeEntriesMutation } from '../api/cache-api';
import type { EntrySelection } from '../api/responses';
import { ConfirmPurge } from '../components/confirm-purge';
import { PurgeQuestion } from '../components/purge-question';
import { identityWords } from '../components/identity-words';
import { LoadFailure, Loading, NothingHere } from '../components/instead-of-data';
import { SortableHeading } from '../components/sortable-heading';
import { CheckboxHeading, HiddenHeading, TextHeading, WrappingTable } from '../components/table-cells';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { useEntryList } from '../hooks/use-entry-list';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { EntryDrawer } from './entry-drawer';
import { EntryRow } from './entry-row';
import { EntrySearch } from './entry-search';

/** The columns of numbers, by which the list can be sorted as well as by URL. */
const NUMBERS = ['age', 'timeToLive', 'size', 'hits'] as const;

/**
 * Stands for the entries that all callers share, in the panel's URL and in its list of callers. The server uses an
 * empty identity for them.
 */
const SHARED = 'everybody';

/** The parameters of the list that are set, as the server expects them. */
const entryQuery = (parameters: Readonly<Record<string, string>>): Record<string, string> => {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, name === 'caller' && value === SHARED ? '' : value]));
};

/** The stored entries, one row each. Listing them enumerates the store, so it is done on request, never by polling. */
export const EntriesView = () => {
  const { words } = useWords();
  const { parameters, change, pageLink } = useEntryList();
  const { search, contentType, route, caller } = parameters;
  const [opened, setOpened] = useState<string>();
  const { data: metrics } = useMetricsQuery();
  const query = entryQuery(parameters);
  const { data, currentData, error, isFetching, refetch } = useEntriesQuery(query, { refetchOnMountOrArgChange: true });
  const names = new Map(metrics?.contentTypes.map(({ uid, displayName }) => [uid, displayName]));
  const routes = (metrics?.contentTypes ?? [])
    .filter(({ uid }) => contentType === '' || uid === contentType)
    .flatMap((type) => type.routes);
  const { canPurge } = useCachePermissions();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = data?.results.map(({ key }) => key) ?? [];
  const selected = shown.filter((key) => chosen.has(key));
  const isNarrowed = search !== '' || contentType !== '' || route !== '' || caller !== '';
  const callers = new Map(data?.callers.map(({ identity, name }) => [identity, name]));
  const sorting = { sort: parameters.sort, onSort: (sort: string) => change({ sort }) };
  const choose = (keys: readonly string[], isChosen: boolean): void => {
    const next = new Set(chosen);
    for (const key of keys)
      if (isChosen) next.add(key);
      else next.delete(key);
    setChosen(next);
  };

  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Flex gap={4}>
        <Box flex="1">
          <EntrySearch value={search} onSearch={(text) => change({ search: text })} />
        </Box>
        <IconButton label={words('action.refresh')} onClick={() => void refetch()} disabled={isFetching}>
          <ArrowClockwise />
        </IconButton>
      </Flex>
      <Flex gap={4} wrap="wrap">
        <Filter
          label={words('entries.type')}
          every={words('entries.every-type')}
          chosen={contentType}
          options={[...names.keys()]}
          nameOf={(uid) => names.get(uid) ?? uid}
          onChoose={(chosenType) => change({ contentType: chosenType, route: '' })}
        />
        <Filter
          label={words('entries.route')}
          every={words('entries.every-route')}
          chosen={route}
          options={routes}
          onChoose={(chosenRoute) => change({ route: chosenRoute })}
        />
        <Filter
          label={words('entries.caller.filter')}
          every={words('entries.every-caller')}
          chosen={caller}
          options={[...callers.keys()].map((identity) => identity || SHARED)}
          nameOf={(option) => {
            const identity = option === SHARED ? '' : option;
            return identityWords(identity, callers.get(identity), words);
          }}
          onChoose={(chosenCaller) => change({ caller: chosenCaller })}
        />
      </Flex>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      {data === undefined ? (
        error === undefined ? (
          <Loading />
        ) : null
      ) : data.results.length === 0 && data.pagination.total > 0 ? (
        // The last page no longer exists, because somebody has purged its entries.
        <Navigate replace to={pageLink(data.pagination.pageCount)} />
      ) : data.results.length === 0 ? (
        <NothingHere>{words(isNarrowed ? 'entries.none-found' : 'entries.none')}</NothingHere>
      ) : (
        <>
          {canPurge ? (
            <Flex gap={3} wrap="wrap">
              {selected.length === 0 ? null : (
                <PurgeSeveral
                  label={words('entries.purge-selected', { count: selected.length })}
                  count={selected.length}
                  selection={{ keys: selected }}
                  onDone={() => setChosen(new Set())}
                />
              )}
              {/* While another search is under way, the list and its total are still those of the previous search. */}
              {isNarrowed && currentData !== undefined ? (
                <PurgeSeveral
                  label={words('entries.purge-found', { count: data.pagination.total })}
                  count={data.pagination.total}
                  selection={entryQuery({ search, contentType, route, caller })}
                  onDone={() => setChosen(new Set())}
                />
              ) : null}
            </Flex>
          ) : null}
          <WrappingTable>
            <Table colCount={NUMBERS.length + (canPurge ? 4 : 3)} rowCount={data.results.length + 1}>
              <Thead>
                <Tr>
                  {canPurge ? (
                    <CheckboxHeading>
                      <Checkbox
                        aria-label={words('entries.select-all')}
                        checked={selected.length === 0 ? false : selected.length === shown.length || 'indeterminate'}
                        onCheckedChange={(checked) => choose(shown, checked === true)}
                      />
                    </CheckboxHeading>
                  ) : null}
                  <SortableHeading column="key" isNumber={false} label={words('entries.key')} {...sorting} />
                  <TextHeading>{words('entries.caller')}</TextHeading>
                  {NUMBERS.map((column) => (
                    <SortableHeading
                      key={column}
                      column={column}
                      isNumber
                      label={words(`entries.${column}`)}
                      {...sorting}
                    />
                  ))}
                  <HiddenHeading>{words('entries.actions')}</HiddenHeading>
                </Tr>
              </Thead>
              <Tbody>
                {data.results.map((entry) => (
                  <EntryRow
                    key={entry.key}
                    entry={entry}
                    callerName={callers.get(entry.identity)}
                    typeName={names.get(entry.contentType) ?? entry.contentType}
                    onOpen={() => setOpened(entry.key)}
                    isChosen={chosen.has(entry.key)}
                    onChoose={canPurge ? (isChosen) => choose([entry.key], isChosen) : undefined}
                  />
                ))}
              </Tbody>
            </Table>
          </WrappingTable>
          <Pages>
            <Pagination.Root {...data.pagination} defaultPageSize={20}>
              <Pagination.PageSize options={['20', '50', '100']} />
              <Pagination.Links />
            </Pagination.Root>
          </Pages>
        </>
      )}
      {opened === undefined ? null : <EntryDrawer entryKey={opened} onClose={() => setOpened(undefined)} />}
    </Flex>
  );
};

interface FilterProps {
  readonly label: string;
  /** Names the choice of all. */
  readonly every: string;
  /** `''`: all. */
  readonly chosen: string;
  readonly options: readonly string[];
  readonly nameOf?: (option: string) => string;
  readonly onChoose: (option: string) => void;
}

/** Filters the list by one of the options, or by what a link has chosen, which may not be among them. */
const Filter = ({ label, every, chosen, options, nameOf = String, onChoose }: FilterProps) => (
  <Box flex="1" minWidth="min(26rem, 100%)">
    <SingleSelect size="S" aria-label={label} value={chosen} onChange={(value) => onChoose(String(value))}>
      <SingleSelectOption value="">{every}</SingleSelectOption>
      {[...new Set([...options, chosen])]
        .filter((option) => option !== '')
        .map((option) => (
          <SingleSelectOption key={option} value={option}>
            {nameOf(option)}
          </SingleSelectOption>
        ))}
    </SingleSelect>
  </Box>
);

/** On a phone the select would shrink to "2…". */
const Pages = styled.div`
  [role='combobox'] {
    min-width: 10rem;
  }
`;

interface PurgeSeveralProps {
  readonly label: string;
  readonly count: number;
  readonly selection: EntrySelection;
  readonly onDone: () => void;
}

const PurgeSeveral = ({ label, count, selection, onDone }: PurgeSeveralProps) => {
  const { words } = useWords();
  const [purge] = usePurgeEntriesMutation();
  const notice = usePurgeNotice();
  return (
    <ConfirmPurge label={label} size="S" onConfirm={() => notice(purge(selection), onDone)}>
      <PurgeQuestion>{words('entries.purge.question', { count })}</PurgeQuestion>
    </ConfirmPurge>
  );
};
