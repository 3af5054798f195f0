import { Searchbar, SearchForm } from '@strapi/design-system';
import { useState } from 'react';
import { useWords } from '../hooks/use-words';

interface EntrySearchProps {
  readonly value: string;
  readonly onSearch: (search: string) => void;
}

/** Searches when Enter is pressed, because a search enumerates the store. */
export const EntrySearch = ({ value, onSearch }: EntrySearchProps) => {
  const { words } = useWords();
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // A link or the browser's history has brought another search. With a new key, the field would lose the focus.
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
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
