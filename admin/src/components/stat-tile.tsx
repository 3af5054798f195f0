import { Typography } from '@strapi/design-system';
import type { ReactNode } from 'react';
import { styled } from 'styled-components';

/** Digits of equal width, so that numbers that change every few seconds do not jump. */
export const Tabular = styled.span`
  font-variant-numeric: tabular-nums;
`;

const Tile = styled.div`
  display: flex;
  flex-direction: column;
  gap: ${({ theme }) => theme.spaces[1]};
  padding: ${({ theme }) => theme.spaces[4]};
  border-radius: ${({ theme }) => theme.borderRadius};
  background: ${({ theme }) => theme.colors.neutral0};
  box-shadow: ${({ theme }) => theme.shadows.tableShadow};

  dd {
    margin: 0;
  }
`;

interface StatTileProps {
  readonly label: string;
  readonly value: string;
  readonly hint: ReactNode;
}

/** One number with its name and an explanation. */
export const StatTile = ({ label, value, hint }: StatTileProps) => (
  <Tile>
    <Typography tag="dt" variant="pi" textColor="neutral600">
      {label}
    </Typography>
    <Typography tag="dd" variant="beta">
      <Tabular>{value}</Tabular>
    </Typography>
    <Typography tag="dd" variant="pi" textColor="neutral600">
      {hint}
    </Typography>
  </Tile>
);

/** Tiles in rows of at most four. */
export const StatGrid = styled.dl`
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(max(14rem, 22%), 1fr));
  gap: ${({ theme }) => theme.spaces[4]};
  margin: 0;
`;
