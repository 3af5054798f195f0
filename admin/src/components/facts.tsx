import { Typography } from '@strapi/design-system';
import { Fragment, type ReactNode } from 'react';
import { styled } from 'styled-components';
import { Tabular } from './tabular';

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

  @media (max-width: 640px) {
    display: block;

    dd {
      padding-bottom: ${({ theme }) => theme.spaces[3]};
    }
  }
`;

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values in two columns; on a phone, each value stands below its name. */
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

const Tiles = styled.dl`
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
  gap: ${({ theme }) => theme.spaces[3]};
  margin: 0;

  dd {
    margin: 0;
  }
`;

export interface TileFact {
  readonly name: string;
  readonly value: string;
  readonly hint?: ReactNode;
}

/** Numbers side by side, in as many rows as needed. */
export const FactTiles = ({ facts }: { readonly facts: readonly TileFact[] }) => (
  <Tiles>
    {facts.map(({ name, value, hint }) => (
      <div key={name}>
        <Typography tag="dt" variant="pi" textColor="neutral600">
          {name}
        </Typography>
        <Typography tag="dd" fontWeight="semiBold" textColor="neutral800">
          <Tabular>{value}</Tabular>
        </Typography>
        {hint === undefined ? null : (
          <Typography tag="dd" variant="pi" textColor="neutral600">
            {hint}
          </Typography>
        )}
      </div>
    ))}
  </Tiles>
);
