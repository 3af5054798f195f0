import {
  Accordion,
  Box,
  Button,
  Combobox,
  ComboboxOption,
  Field,
  Flex,
  Grid,
  SingleSelect,
  SingleSelectOption,
  Textarea,
  TextInput,
} from '@strapi/design-system';
import { useState } from 'react';
import { useCallersQuery, useStrategyQuery } from '../api/cache-api';
import type { Caller } from '../api/responses';
import { Section } from '../components/section';
import { useWords } from '../hooks/use-words';
import { parseHeaders } from './parse-headers';
import { parseVariables } from './parse-variables';

export interface Question {
  readonly url: string;
  readonly as: Caller;
  /** One `Name: value` per line. */
  readonly headers: string;
  /** A GraphQL query in the place of the URL, and its variables as JSON. Both may be empty. */
  readonly query: string;
  readonly variables: string;
}

interface ExplainFormProps {
  readonly initial: Question;
  readonly busy: boolean;
  readonly onAsk: (question: Question) => void;
}

export const ExplainForm = ({ initial, busy, onAsk }: ExplainFormProps) => {
  const { words } = useWords();
  const [url, setUrl] = useState(initial.url);
  const [as, setAs] = useState<Caller | undefined>(initial.as);
  const [kind, setKind] = useState<Caller['kind']>(initial.as.kind);
  const [headers, setHeaders] = useState(initial.headers);
  const [query, setQuery] = useState(initial.query);
  const [variables, setVariables] = useState(initial.variables);
  const { data: strategy } = useStrategyQuery();
  const isOperation = query.trim() !== '';
  const isInvalid = isOperation && parseVariables(variables) === undefined;
  const hasInvalidHeader = parseHeaders(headers) === undefined;
  const choose = (next: Caller['kind']): void => {
    setKind(next);
    setAs(next === 'anonymous' ? { kind: next } : undefined);
  };
  return (
    <Section title={words('explain.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (as !== undefined) onAsk({ url: url.trim(), as, headers, query: query.trim(), variables });
        }}
      >
        <Flex direction="column" alignItems="stretch" gap={4}>
          <Field.Root name="url" required={!isOperation} hint={words('explain.url.hint')}>
            <Field.Label>{words('explain.url')}</Field.Label>
            <TextInput
              value={url}
              disabled={isOperation}
              placeholder="/api/articles?populate=category"
              onChange={(event) => setUrl(event.target.value)}
            />
            <Field.Hint />
          </Field.Root>
          <Grid.Root gap={4}>
            <Grid.Item col={6} xs={12} direction="column" alignItems="stretch">
              <Field.Root name="as">
                <Field.Label>{words('explain.as')}</Field.Label>
                <SingleSelect value={kind} onChange={(value) => choose(value as Caller['kind'])}>
                  <SingleSelectOption value="anonymous">{words('explain.as.anonymous')}</SingleSelectOption>
                  <SingleSelectOption value="user">{words('explain.as.user')}</SingleSelectOption>
                  <SingleSelectOption value="token">{words('explain.as.token')}</SingleSelectOption>
                </SingleSelect>
              </Field.Root>
            </Grid.Item>
            {kind === 'anonymous' ? null : (
              <Grid.Item col={6} xs={12} direction="column" alignItems="stretch">
                <CallerChoice key={kind} kind={kind} value={as} onChoose={setAs} />
              </Grid.Item>
            )}
          </Grid.Root>
          <Accordion.Root>
            {(strategy?.graphql ?? null) === null ? null : (
              <Accordion.Item value="graphql">
                <Accordion.Header>
                  <Accordion.Trigger>{words('explain.graphql')}</Accordion.Trigger>
                </Accordion.Header>
                <Accordion.Content>
                  <Flex direction="column" alignItems="stretch" gap={4} padding={4}>
                    <Field.Root name="query" hint={words('explain.graphql.hint')}>
                      <Field.Label>{words('explain.graphql.query')}</Field.Label>
                      <Textarea value={query} onChange={(event) => setQuery(event.target.value)} />
                      <Field.Hint />
                    </Field.Root>
                    <Field.Root name="variables" error={isInvalid && words('explain.graphql.invalid')}>
                      <Field.Label>{words('explain.graphql.variables')}</Field.Label>
                      <Textarea
                        value={variables}
                        placeholder={'{ "limit": 10 }'}
                        onChange={(event) => setVariables(event.target.value)}
                      />
                      <Field.Error />
                    </Field.Root>
                  </Flex>
                </Accordion.Content>
              </Accordion.Item>
            )}
            <Accordion.Item value="headers">
              <Accordion.Header>
                <Accordion.Trigger>{words('explain.headers')}</Accordion.Trigger>
              </Accordion.Header>
              <Accordion.Content>
                <Box padding={4}>
                  <Field.Root
                    name="headers"
                    hint={words('explain.headers.hint')}
                    error={hasInvalidHeader && words('explain.headers.invalid')}
                  >
                    <Field.Label>{words('explain.headers.label')}</Field.Label>
                    <Textarea value={headers} onChange={(event) => setHeaders(event.target.value)} />
                    <Field.Hint />
                    <Field.Error />
                  </Field.Root>
                </Box>
              </Accordion.Content>
            </Accordion.Item>
          </Accordion.Root>
          <Flex justifyContent="flex-end">
            <Button
              type="submit"
              loading={busy}
              disabled={(url.trim() === '' && !isOperation) || isInvalid || hasInvalidHeader || as === undefined}
            >
              {words('explain.ask')}
            </Button>
          </Flex>
        </Flex>
      </form>
    </Section>
  );
};

interface CallerChoiceProps {
  readonly kind: 'user' | 'token';
  readonly value: Caller | undefined;
  readonly onChoose: (caller: Caller | undefined) => void;
}

const CallerChoice = ({ kind, value, onChoose }: CallerChoiceProps) => {
  const { words } = useWords();
  const [search, setSearch] = useState('');
  // The caller named by a link may not be among the first search results.
  const [linked] = useState(value);
  const user = linked?.kind === 'user' && search === '' ? { user: String(linked.id) } : {};
  const { data } = useCallersQuery(kind === 'user' ? { search, ...user } : { search: '' });
  const callers = (kind === 'user' ? data?.users : data?.tokens) ?? [];
  const id = value === undefined || value.kind === 'anonymous' ? '' : String(value.id);
  return (
    <Field.Root name="caller" required>
      <Field.Label>{words(kind === 'user' ? 'explain.which-user' : 'explain.which-token')}</Field.Label>
      <Combobox
        value={id}
        autocomplete={kind === 'user' ? 'none' : 'both'}
        onInputChange={(event) => setSearch(event.currentTarget.value)}
        onChange={(chosen) =>
          onChoose(chosen === undefined || chosen === '' ? undefined : { kind, id: String(chosen) })
        }
        onClear={() => onChoose(undefined)}
      >
        {callers.map((caller) => (
          <ComboboxOption key={caller.id} value={String(caller.id)}>
            {caller.name}
          </ComboboxOption>
        ))}
      </Combobox>
    </Field.Root>
  );
};
