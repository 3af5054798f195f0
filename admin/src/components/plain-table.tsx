import { CaretDown, CaretUp } from '@strapi/icons';
import { styled } from 'styled-components';
import { useWords } from '../hooks/use-words';

/**
 * A table of one's own markup: the design system's table has neither groups of rows nor rows that open, and takes the
 * arrow keys for cells that are all there. In a narrow window it has fewer columns: those with `data-narrow="hidden"`
 * disappear.
 */
export const PlainTable = styled.table`
  width: 100%;
  border-collapse: collapse;
  font-size: 1.4rem;
  color: ${({ theme }) => theme.colors.neutral800};

  th,
  td {
    padding: ${({ theme }) => `${theme.spaces[3]} ${theme.spaces[4]}`};
    text-align: left;
    vertical-align: top;
    border-top: 1px solid ${({ theme }) => theme.colors.neutral150};
  }

  thead th {
    border-top: 0;
  }

  @media (max-width: 640px) {
    table-layout: fixed;

    /* Rows that span all columns reserve room for hidden ones as well, unless the others take it. */
    thead th {
      width: 27%;
      overflow-wrap: anywhere;
    }

    thead th:first-child {
      width: 46%;
    }

    th,
    td {
      padding: ${({ theme }) => `${theme.spaces[2]} ${theme.spaces[2]}`};
    }

    [data-narrow='hidden'] {
      display: none;
    }
  }
`;

export const Scrolling = styled.div`
  overflow-x: auto;
  background: ${({ theme }) => theme.colors.neutral0};
  border-radius: ${({ theme }) => theme.borderRadius};
  box-shadow: ${({ theme }) => theme.shadows.tableShadow};
`;

export const NumberData = styled.td`
  &&& {
    text-align: right;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
`;

/** A button that looks like text. */
export const BareButton = styled.button`
  display: inline-flex;
  gap: ${({ theme }) => theme.spaces[2]};
  align-items: center;
  padding: 0;
  border: 0;
  background: none;
  font: inherit;
  text-align: inherit;
  color: inherit;
  cursor: pointer;

  svg {
    flex: none;
    width: 1rem;
    height: 1rem;
  }
`;

const Heading = styled.th<{ readonly $isNumber: boolean }>`
  && {
    text-align: ${({ $isNumber }) => ($isNumber ? 'right' : 'left')};
    font-size: 1.1rem;
    font-weight: 600;
    text-transform: uppercase;
    color: ${({ theme }) => theme.colors.neutral600};
  }

  button {
    text-transform: inherit;
  }

  button:not(:hover):not(:focus) svg[data-sorted='false'] {
    opacity: 0.35;
  }
`;

interface SortHeadingProps<Column extends string> {
  readonly label: string;
  readonly column: Column;
  readonly isNumber?: boolean;
  /** `hidden`: not shown in a narrow window. */
  readonly narrow?: 'hidden' | undefined;
  /** `<column>:asc` or `<column>:desc`. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** A heading that sorts by its column: the largest number first, names from A to Z, and the other way round next. */
export const SortHeading = <Column extends string>({
  label,
  column,
  isNumber = false,
  narrow,
  sort,
  onSort,
}: SortHeadingProps<Column>) => {
  const { words } = useWords();
  const [sortedBy, order] = sort.split(':');
  const isSorted = sortedBy === column;
  const next = isSorted ? (order === 'desc' ? 'asc' : 'desc') : isNumber ? 'desc' : 'asc';
  const Caret = isSorted && order === 'asc' ? CaretUp : CaretDown;
  return (
    <Heading
      scope="col"
      data-narrow={narrow}
      $isNumber={isNumber}
      aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <BareButton
        type="button"
        title={words('action.sort', { column: label })}
        onClick={() => onSort(`${column}:${next}`)}
      >
        {label}
        <Caret aria-hidden data-sorted={isSorted} />
      </BareButton>
    </Heading>
  );
};
