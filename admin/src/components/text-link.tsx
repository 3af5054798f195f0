import { Link } from 'react-router-dom';
import { styled } from 'styled-components';

/** A link inside a text, to another view. */
export const TextLink = styled(Link)`
  color: ${({ theme }) => theme.colors.primary700};
`;
