import { Typography } from '@strapi/design-system';
import { Fragment, type ReactNode } from 'react';
import { styled } from 'styled-components';

const List = styled.dl`
  display: grid;
  grid-template-columns: minmax(12rem, max-content) 1fr;
  column-gap: ${({ theme }) => theme.spaces[6]};
  row-gap: ${({ theme }) => theme.spaces[2]};
  margin: 0;

  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and what belongs to them, in two columns. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <List>
    {facts.map(({ name, value }) => (
      <Fragment key={name}>
        <Typography tag="dt" textColor="neutral600">
          {name}
        </Typography>
        <Typography tag="dd" textColor="neutral800">
          {value}
        </Typography>
      </Fragment>
    ))}
  </List>
);
