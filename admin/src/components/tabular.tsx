import { styled } from 'styled-components';

/** Digits of equal width, so that numbers that change every few seconds do not jump. */
export const Tabular = styled.span`
  font-variant-numeric: tabular-nums;
`;
