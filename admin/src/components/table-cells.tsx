import { Td, Th, Typography, VisuallyHidden } from '@strapi/design-system';
import { useEffect, useRef, type ComponentPropsWithoutRef, type ReactNode } from 'react';
import { styled } from 'styled-components';

/**
 * The design system's table passes each cell its coordinates for keyboard navigation as props, so every cell in this
 * file passes its props on. The design system's header cells have the role of grid cells; the ones here have the role
 * `columnheader`.
 */
export type CellProps = Omit<ComponentPropsWithoutRef<typeof Td>, 'children'>;

/** Wraps a table, so that its texts wrap rather than push the last columns out of a narrow window. */
export const WrappingTable = styled.div`
  table {
    white-space: normal;
  }

  td,
  th {
    padding: 0 ${({ theme }) => theme.spaces[2]};
  }

  /* A path or key breaks only where it does not fit into the widest column there can be. */
  td code {
    overflow-wrap: break-word;
  }
`;

/** Numbers are aligned at the right and have digits of equal width, so that they line up. */
const NumberTd = styled(Td)`
  text-align: right;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
`;

export const NumberTh = styled(Th)`
  > * {
    justify-content: flex-end;
  }
`;

export const heading = (children: ReactNode, isEmphasised = false): ReactNode => (
  <Typography variant="sigma" textColor={isEmphasised ? 'neutral800' : 'neutral600'}>
    {children}
  </Typography>
);

interface HeadingProps extends CellProps {
  readonly children: string;
}

export const TextHeading = ({ children, ...cell }: HeadingProps) => (
  <Th {...cell} role="columnheader">
    {heading(children)}
  </Th>
);

export const NumberHeading = ({ children, ...cell }: HeadingProps) => (
  <NumberTh {...cell} role="columnheader">
    {heading(children)}
  </NumberTh>
);

/** The heading of a column of buttons, for screen readers only. */
export const HiddenHeading = ({ children, ...cell }: HeadingProps) => (
  <Th {...cell} role="columnheader">
    <VisuallyHidden>{children}</VisuallyHidden>
  </Th>
);

/** A click inside this cell does not count as a click on the row. */
export const CheckboxCell = ({ children, ...cell }: DataProps) => (
  <Td {...cell} onClick={(event) => event.stopPropagation()}>
    {children}
  </Td>
);

/**
 * The design system's table gives the focus to a cell's control, or to the cell itself if it has several controls. Its
 * checkbox counts as several until it has found out that it is not inside a form. Without this correction the first
 * cell would keep the focus, and no arrow key would lead out of it.
 */
export const CheckboxHeading = ({ children, ...cell }: DataProps) => {
  const content = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const heading = content.current?.closest('th');
    const checkbox = content.current?.querySelector('button');
    if (heading?.tabIndex !== 0 || checkbox == null) return;
    heading.tabIndex = -1;
    checkbox.tabIndex = 0;
  }, []);
  return (
    <Th {...cell} role="columnheader">
      <span ref={content}>{children}</span>
    </Th>
  );
};

interface DataProps extends CellProps {
  readonly children: ReactNode;
}

export const TextCell = ({ children, ...cell }: DataProps) => (
  <Td {...cell}>
    <Typography textColor="neutral800">{children}</Typography>
  </Td>
);

export const NumberCell = ({ children, ...cell }: DataProps) => (
  <NumberTd {...cell}>
    <Typography textColor="neutral800">{children}</Typography>
  </NumberTd>
);
