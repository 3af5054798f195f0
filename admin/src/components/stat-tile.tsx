import { Box, Flex, Typography } from '@strapi/design-system';
import type { ReactNode } from 'react';
import { styled } from 'styled-components';

/** Digits of one width: numbers that change every few seconds do not jump. */
export const Tabular = styled.span`
  font-variant-numeric: tabular-nums;
`;

interface StatTileProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ReactNode;
}

/** One number with its name. */
export const StatTile = ({ label, value, hint }: StatTileProps) => (
  <Box background="neutral0" hasRadius shadow="tableShadow" padding={4} height="100%">
    <Flex direction="column" alignItems="flex-start" gap={1}>
      <Typography tag="dt" variant="pi" textColor="neutral600">
        {label}
      </Typography>
      <Typography tag="dd" variant="beta">
        <Tabular>{value}</Tabular>
      </Typography>
      {hint === undefined ? null : (
        <Typography tag="dd" variant="pi" textColor="neutral600">
          {hint}
        </Typography>
      )}
    </Flex>
  </Box>
);

/** Tiles side by side, as many as fit. */
export const StatGrid = styled.dl`
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr));
  gap: ${({ theme }) => theme.spaces[4]};
  margin: 0;
`;
