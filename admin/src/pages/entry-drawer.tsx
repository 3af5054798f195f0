import { Accordion, Box, Button, Flex, Modal, Typography } from '@strapi/design-system';
import { useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { styled } from 'styled-components';
import { useEntryQuery, usePurgeEntriesMutation } from '../api/cache-api';
import type { EntryDetail } from '../api/responses';
import { Code, CodeBlock } from '../components/code';
import { ConfirmPurge } from '../components/confirm-purge';
import { PurgeQuestion } from '../components/purge-question';
import { CopyButton } from '../components/copy-button';
import { Facts } from '../components/facts';
import { identityWords } from '../components/identity-words';
import { statusOf } from '../components/failure';
import { LoadFailure, Loading } from '../components/instead-of-data';
import { TextLink } from '../components/text-link';
import { useFormats } from '../format/use-formats';
import { useCachePermissions } from '../hooks/use-cache-permissions';
import { useKeptFocus } from '../hooks/use-kept-focus';
import { usePurgeNotice } from '../hooks/use-purge-notice';
import { useWords } from '../hooks/use-words';
import { addressOf, entriesLink, explainLink, typeEntriesLink } from './links';

/** A modal at the right edge, over the full height. */
const Drawer = styled(Modal.Content)`
  left: auto;
  right: 0;
  top: 0;
  transform: none;
  width: min(64rem, 100vw);
  max-width: none;
  height: 100vh;
  max-height: none;
  border-radius: 0;
`;

interface EntryDrawerProps {
  readonly entryKey: string;
  readonly onClose: () => void;
}

/** Shows everything about one entry. */
export const EntryDrawer = ({ entryKey, onClose }: EntryDrawerProps) => {
  const { words } = useWords();
  const { canPurge } = useCachePermissions();
  const { data, error, refetch } = useEntryQuery(entryKey, { refetchOnMountOrArgChange: true });
  const [purge] = usePurgeEntriesMutation();
  const notice = usePurgeNotice();
  const navigate = useNavigate();
  /** The element that gets the focus back; `null` once its entry has been purged, because it then disappears. */
  const opener = useRef(document.activeElement);
  useKeptFocus();
  const returnFocus = (event: Event): void => {
    event.preventDefault();
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  return (
    <Modal.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Drawer aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
        <Modal.Header closeLabel={words('action.close')}>
          <Modal.Title>{words('entry.title')}</Modal.Title>
        </Modal.Header>
        <Modal.Body>
          {error === undefined ? null : statusOf(error) === 404 ? (
            <Typography>{words('entry.gone')}</Typography>
          ) : (
            <LoadFailure error={error} onRetry={refetch} />
          )}
          {data === undefined ? error === undefined ? <Loading /> : null : <Detail entry={data} onLeave={onClose} />}
        </Modal.Body>
        <Modal.Footer>
          <Button variant="tertiary" disabled={data === undefined} onClick={() => data && navigate(explainLink(data))}>
            {words('entry.explain')}
          </Button>
          {data === undefined ? null : (
            <CopyButton text={() => addressOf(data.url, backendUrl())}>{words('entry.copy-url')}</CopyButton>
          )}
          {canPurge ? (
            <ConfirmPurge
              label={words('purge.entry')}
              isEmpty={data === undefined}
              onConfirm={() =>
                notice(purge({ keys: [entryKey] }), () => {
                  opener.current = null;
                  onClose();
                })
              }
            >
              <PurgeQuestion>{words('purge.entry.question')}</PurgeQuestion>
            </ConfirmPurge>
          ) : null}
        </Modal.Footer>
      </Drawer>
    </Modal.Root>
  );
};

const backendUrl = (): string => (window.strapi as unknown as { readonly backendURL: string }).backendURL;

interface DetailProps {
  readonly entry: EntryDetail;
  /** Closes the drawer when a link is followed, because the drawer would cover the view behind it. */
  readonly onLeave: () => void;
}

const Detail = ({ entry, onLeave }: DetailProps) => {
  const vocabulary = useWords();
  const { words } = vocabulary;
  const { count, bytes, duration, ago, inTime } = useFormats();
  // Join tables and settings are listed with the tags below. Here they would only confuse.
  const named = entry.dependencies.flatMap(({ contentType }) => contentType ?? []);
  return (
    <Flex direction="column" alignItems="stretch" gap={6}>
      <Facts
        facts={[
          { name: words('entries.key'), value: <Code>{entry.url}</Code> },
          {
            name: words('entries.type'),
            value: (
              <TextLink to={typeEntriesLink(entry.contentType)} onClick={onLeave}>
                {entry.contentTypeName}
              </TextLink>
            ),
          },
          {
            name: words('entry.route'),
            value: (
              <TextLink to={entriesLink(entry.route)} onClick={onLeave}>
                <Code>{entry.route}</Code>
              </TextLink>
            ),
          },
          { name: words('entries.caller'), value: identityWords(entry.identity, entry.callerName, words) },
          ...(entry.variant === '' ? [] : [{ name: words('entry.variant'), value: <Code>{entry.variant}</Code> }]),
          { name: words('entries.age'), value: ago(0, entry.age) },
          {
            name: words('entry.expires'),
            value: words('entry.expiry', { left: inTime(entry.timeToLive), maxAge: duration(entry.maxAge) }),
          },
          {
            name: words('entries.size'),
            value: words('entry.size', { size: bytes(entry.size), body: bytes(entry.bodySize) }),
          },
          { name: words('entries.hits'), value: count(entry.hits) },
          { name: words('entry.cost'), value: duration(entry.cost) },
        ]}
      />
      <Box>
        <Typography tag="h3" variant="delta">
          {words('entry.dependencies')}
        </Typography>
        <Box paddingTop={1} paddingBottom={3}>
          <Typography textColor="neutral600">
            {words('entry.dependencies.hint')} {entry.readElsewhere && words('entry.readElsewhere')}
          </Typography>
        </Box>
        <Flex gap={2} wrap="wrap">
          {named.length > 0
            ? named.map(({ uid, displayName }) => <Name key={uid}>{displayName}</Name>)
            : entry.dependencies.map(({ table }) => <Code key={table}>{table}</Code>)}
        </Flex>
      </Box>
      <Accordion.Root>
        <Accordion.Item value="headers">
          <Accordion.Header>
            <Accordion.Trigger>{words('entry.headers', { count: entry.headers.length })}</Accordion.Trigger>
          </Accordion.Header>
          <Accordion.Content>
            <CodeBlock tabIndex={0}>
              {[`${entry.status}`, ...entry.headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}
            </CodeBlock>
          </Accordion.Content>
        </Accordion.Item>
        <Accordion.Item value="tags">
          <Accordion.Header>
            <Accordion.Trigger>{words('entry.tags', { count: entry.tagCount })}</Accordion.Trigger>
          </Accordion.Header>
          <Accordion.Content>
            <CodeBlock tabIndex={0}>
              {[...entry.tags, ...(entry.tags.length < entry.tagCount ? ['…'] : [])].join('\n')}
            </CodeBlock>
          </Accordion.Content>
        </Accordion.Item>
      </Accordion.Root>
    </Flex>
  );
};

const Name = styled(Typography).attrs({ tag: 'span', fontWeight: 'semiBold' })`
  padding: 0 ${({ theme }) => theme.spaces[2]};
  border-radius: ${({ theme }) => theme.borderRadius};
  background: ${({ theme }) => theme.colors.neutral150};
`;
