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
  Thead,
  Tr,
} from '@strapi/design-system';
import { ArrowClockwise, Eye } from '@strapi/icons';
import { useState } from 'react';
import { styled } from 'styled-components';
import { useEntriesQuery, useMetricsQuery } from '../api/cache-api';
import type { ListedEntry } from '../api/responses';
import { Code } from '../components/code';
import { identityWords } from '../components/identity-words';
import { LoadFailure } from '../components/load-failure';
import { Loading } from '../components/loading';
import { NothingHere } from '../components/nothing-here';
import { SortableHeading } from '../components/sortable-heading';
import { HiddenHeading, NumberCell, TextCell, TextHeading, WrappingTable } from '../components/table-cells';
import { useFormats } from '../format/use-formats';
import { useEntryList } from '../hooks/use-entry-list';
import { useWords } from '../hooks/use-words';
import { EntryDrawer } from './entry-drawer';

const COLUMNS = ['key', 'contentType', 'age', 'timeToLive', 'size', 'hits'] as const;

const NUMBERS: ReadonlySet<string> = new Set(['age', 'timeToLive', 'size', 'hits']);

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
          <WrappingTable>
            <Table colCount={COLUMNS.length + 2} rowCount={data.results.length + 1}>
              <Thead>
                <Tr>
                  {COLUMNS.map((column) => (
                    <SortableHeading
                      key={column}
                      column={column}
                      isNumber={NUMBERS.has(column)}
                      label={words(`entries.${column}`)}
                      sort={parameters.sort}
                      onSort={(sort) => change({ sort })}
                    />
                  ))}
                  <TextHeading>{words('entries.caller')}</TextHeading>
                  <HiddenHeading>{words('entries.actions')}</HiddenHeading>
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
          </WrappingTable>
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

/** Keys may be long and hold no blank. */
const Key = styled(Code)`
  && {
    overflow-wrap: anywhere;
  }
`;

interface RowProps {
  readonly entry: ListedEntry;
  readonly typeName: string;
  readonly onOpen: () => void;
}

const Row = ({ entry, typeName, onOpen, ...row }: RowProps) => {
  const { words } = useWords();
  const { count, bytes, duration } = useFormats();
  return (
    <Tr {...row}>
      <Td>
        <Box paddingTop={2} paddingBottom={2} minWidth="20rem">
          <Key>{entry.key}</Key>
        </Box>
      </Td>
      <TextCell>{typeName}</TextCell>
      <NumberCell>{duration(entry.age)}</NumberCell>
      <NumberCell>{duration(entry.timeToLive)}</NumberCell>
      <NumberCell>{bytes(entry.size)}</NumberCell>
      <NumberCell>{count(entry.hits)}</NumberCell>
      <TextCell>{identityWords(entry.identity, words)}</TextCell>
      <Td>
        <IconButton label={words('entries.open', { key: entry.key })} variant="ghost" onClick={onOpen}>
          <Eye />
        </IconButton>
      </Td>
    </Tr>
  );
};
