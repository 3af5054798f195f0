import { IconButton, Th, Typography } from '@strapi/design-system';
import { CaretDown, CaretUp } from '@strapi/icons';
import { useWords } from '../hooks/use-words';

interface SortableHeadingProps {
  readonly label: string;
  readonly column: string;
  /** `<column>:asc` or `<column>:desc`. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** A column's heading with a button that sorts by it, and by the reverse. */
export const SortableHeading = ({ label, column, sort, onSort }: SortableHeadingProps) => {
  const { words } = useWords();
  const [sortedBy, direction] = sort.split(':');
  const isSorted = sortedBy === column;
  const isAscending = isSorted && direction === 'asc';
  return (
    <Th
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}
      action={
        <IconButton
          size="XS"
          variant="ghost"
          label={words('action.sort', { column: label })}
          onClick={() => onSort(`${column}:${isAscending ? 'desc' : 'asc'}`)}
        >
          {isAscending ? <CaretUp /> : <CaretDown />}
        </IconButton>
      }
    >
      <Typography variant="sigma" textColor={isSorted ? 'neutral800' : 'neutral600'}>
        {label}
      </Typography>
    </Th>
  );
};
