import { Pagination } from '@strapi/strapi/admin';
import {
  Box,
  Flex,
  IconButton,
  Searchbar,
  SearchForm,
  SingleSelect,
  SingleSelectOption,
  Table,
  Tbody,
  Td,
  Th,
  Thead,
  Tr,
  Typography,
  VisuallyHidden,
} from '@strapi/design-system';
import { ArrowClockwise, Eye } from '@strapi/icons';
import { useState } from 'react';
import { useEntriesQuery, useMetricsQuery } from '../api/cache-api';
import type { ListedEntry } from '../api/responses';
import { Code } from '../components/code';
import { identityWords } from '../components/identity-words';
import { LoadFailure } from '../components/load-failure';
import { Loading } from '../components/loading';
import { NothingHere } from '../components/nothing-here';
import { SortableHeading } from '../components/sortable-heading';
import { Tabular } from '../components/stat-tile';
import { useFormats } from '../format/use-formats';
import { useEntryList } from '../hooks/use-entry-list';
import { useWords } from '../hooks/use-words';
import { EntryDrawer } from './entry-drawer';

const COLUMNS = ['key', 'contentType', 'age', 'timeToLive', 'size', 'hits'] as const;

/** What is held, entry by entry. Listing enumerates the store: it is done when asked for, never by polling. */
export const EntriesView = () => {
  const { words } = useWords();
  const { parameters, change } = useEntryList();
  const [opened, setOpened] = useState<string>();
  const { data: metrics } = useMetricsQuery();
  const query = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
  const { data, error, isFetching, refetch } = useEntriesQuery(query, { refetchOnMountOrArgChange: true });
  const names = new Map(metrics?.contentTypes.map(({ uid, displayName }) => [uid, displayName]));

  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Flex gap={4} alignItems="flex-end" wrap="wrap">
        <Box flex="1" minWidth="24rem">
          <EntrySearch key={parameters.search} value={parameters.search} onSearch={(search) => change({ search })} />
        </Box>
        <Box width="22rem">
          <SingleSelect
            size="S"
            aria-label={words('entries.type')}
            value={parameters.contentType}
            onChange={(contentType) => change({ contentType: String(contentType) })}
          >
            <SingleSelectOption value="">{words('entries.every-type')}</SingleSelectOption>
            {[...names].map(([uid, displayName]) => (
              <SingleSelectOption key={uid} value={uid}>
                {displayName}
              </SingleSelectOption>
            ))}
          </SingleSelect>
        </Box>
        <IconButton label={words('action.refresh')} onClick={() => void refetch()} disabled={isFetching}>
          <ArrowClockwise />
        </IconButton>
      </Flex>
      {error === undefined ? null : <LoadFailure error={error} onRetry={refetch} />}
      {data === undefined ? (
        error === undefined ? (
          <Loading />
        ) : null
      ) : data.results.length === 0 ? (
        <NothingHere>
          {words(parameters.search === '' && parameters.contentType === '' ? 'entries.none' : 'entries.none-found')}
        </NothingHere>
      ) : (
        <>
          <Table colCount={COLUMNS.length + 2} rowCount={data.results.length + 1}>
            <Thead>
              <Tr>
                {COLUMNS.map((column) => (
                  <SortableHeading
                    key={column}
                    column={column}
                    label={words(`entries.${column}`)}
                    sort={parameters.sort}
                    onSort={(sort) => change({ sort })}
                  />
                ))}
                <Th>
                  <Typography variant="sigma" textColor="neutral600">
                    {words('entries.caller')}
                  </Typography>
                </Th>
                <Th>
                  <VisuallyHidden>{words('entries.actions')}</VisuallyHidden>
                </Th>
              </Tr>
            </Thead>
            <Tbody>
              {data.results.map((entry) => (
                <Row
                  key={entry.key}
                  entry={entry}
                  typeName={names.get(entry.contentType) ?? entry.contentType}
                  onOpen={() => setOpened(entry.key)}
                />
              ))}
            </Tbody>
          </Table>
          <Pagination.Root {...data.pagination} defaultPageSize={20}>
            <Pagination.PageSize options={['20', '50', '100']} />
            <Pagination.Links />
          </Pagination.Root>
        </>
      )}
      {opened === undefined ? null : (
        <EntryDrawer
          entryKey={opened}
          onClose={() => {
            setOpened(undefined);
          }}
        />
      )}
    </Flex>
  );
};

interface EntrySearchProps {
  readonly value: string;
  readonly onSearch: (search: string) => void;
}

const EntrySearch = ({ value, onSearch }: EntrySearchProps) => {
  const { words } = useWords();
  const [text, setText] = useState(value);
  return (
    <SearchForm
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <Searchbar
        name="search"
        size="S"
        value={text}
        placeholder={words('entries.search.placeholder')}
        clearLabel={words('action.clear')}
        onChange={(event) => setText(event.target.value)}
        onClear={() => onSearch('')}
      >
        {words('entries.search')}
      </Searchbar>
    </SearchForm>
  );
};

interface RowProps {
  readonly entry: ListedEntry;
  readonly typeName: string;
  readonly onOpen: () => void;
}

const Row = ({ entry, typeName, onOpen }: RowProps) => {
  const { words } = useWords();
  const { count, bytes, duration } = useFormats();
  return (
    <Tr>
      <Td>
        <Box maxWidth="40rem" paddingTop={2} paddingBottom={2}>
          <Code>{entry.key}</Code>
        </Box>
      </Td>
      <Td>{typeName}</Td>
      <Td>
        <Tabular>{duration(entry.age)}</Tabular>
      </Td>
      <Td>
        <Tabular>{duration(entry.timeToLive)}</Tabular>
      </Td>
      <Td>
        <Tabular>{bytes(entry.size)}</Tabular>
      </Td>
      <Td>
        <Tabular>{count(entry.hits)}</Tabular>
      </Td>
      <Td>{identityWords(entry.identity, words)}</Td>
      <Td>
        <IconButton label={words('entries.open', { key: entry.key })} variant="ghost" onClick={onOpen}>
          <Eye />
        </IconButton>
      </Td>
    </Tr>
  );
};
