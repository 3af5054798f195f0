import { IconButton, Th } from '@strapi/design-system';
import { CaretDown, CaretUp } from '@strapi/icons';
import { useWords } from '../hooks/use-words';
import { heading, NumberTh, type CellProps } from './table-cells';

interface SortableHeadingProps extends CellProps {
  readonly label: string;
  readonly column: string;
  readonly isNumber: boolean;
  /** `<column>:asc` or `<column>:desc`. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** A column heading with a button that sorts by the column, and reverses the order when it is clicked again. */
export const SortableHeading = ({ label, column, isNumber, sort, onSort, ...cell }: SortableHeadingProps) => {
  const { words } = useWords();
  const [sortedBy, order] = sort.split(':');
  const direction = sortedBy !== column ? 'none' : order === 'asc' ? 'ascending' : 'descending';
  const Cell = isNumber ? NumberTh : Th;
  return (
    <Cell
      {...cell}
      role="columnheader"
      aria-sort={direction}
      action={
        <IconButton
          size="XS"
          variant="ghost"
          label={words('action.sort', { column: label })}
          onClick={() => onSort(`${column}:${direction === 'ascending' ? 'desc' : 'asc'}`)}
          style={{ opacity: direction === 'none' ? 0.35 : 1 }}
        >
          {direction === 'ascending' ? <CaretUp /> : <CaretDown />}
        </IconButton>
      }
    >
      {heading(label, direction !== 'none')}
    </Cell>
  );
};
