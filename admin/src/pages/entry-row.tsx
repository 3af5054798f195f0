import { Box, Checkbox, IconButton, Td, Tr, Typography } from '@strapi/design-system';
import { Eye } from '@strapi/icons';
import { styled } from 'styled-components';
import { GRAPHQL, type ListedEntry } from '../api/responses';
import { Code } from '../components/code';
import { identityWords } from '../components/identity-words';
import { CheckboxCell, NumberCell, TextCell } from '../components/table-cells';
import { useFormats } from '../format/use-formats';
import { useWords } from '../hooks/use-words';

/** URLs may be long and contain no spaces. */
const Url = styled(Code)`
  && {
    overflow-wrap: anywhere;
  }
`;

/** A click anywhere in the row opens the entry. For keyboard users there is a button at the end of the row. */
const OpeningRow = styled(Tr)`
  cursor: pointer;
`;

interface EntryRowProps {
  readonly entry: ListedEntry;
  readonly callerName: string | null | undefined;
  readonly typeName: string;
  readonly onOpen: () => void;
  readonly isChosen: boolean;
  /** `undefined` if the admin may not purge. */
  readonly onChoose: ((isChosen: boolean) => void) | undefined;
}

export const EntryRow = ({ entry, callerName, typeName, onOpen, isChosen, onChoose, ...row }: EntryRowProps) => {
  const { words } = useWords();
  const { count, bytes, ago, left } = useFormats();
  const { url, contentType, route, variant, identity, age, timeToLive, size, hits } = entry;
  // All operations have one URL: the name and fields of each say more than the hash of its text.
  const others = contentType === GRAPHQL ? route : variant;
  return (
    <OpeningRow {...row} onClick={onOpen}>
      {onChoose === undefined ? null : (
        <CheckboxCell>
          <Checkbox
            aria-label={words('entries.select', { url })}
            checked={isChosen}
            onCheckedChange={(checked) => onChoose(checked === true)}
          />
        </CheckboxCell>
      )}
      <Td>
        <Box paddingTop={2} paddingBottom={2} minWidth="13rem">
          <Url>{url}</Url>
          <Typography tag="p" variant="pi" textColor="neutral600">
            {[typeName, others].filter((part) => part !== '').join(', ')}
          </Typography>
        </Box>
      </Td>
      <TextCell>{identityWords(identity, callerName, words)}</TextCell>
      <NumberCell>{ago(0, age)}</NumberCell>
      <NumberCell>{left(timeToLive)}</NumberCell>
      <NumberCell>{bytes(size)}</NumberCell>
      <NumberCell>{count(hits)}</NumberCell>
      <Td>
        <IconButton label={words('entries.open', { url })} variant="ghost" onClick={onOpen}>
          <Eye />
        </IconButton>
      </Td>
    </OpeningRow>
  );
};
