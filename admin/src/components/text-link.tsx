import { Link } from 'react-router-dom';
import { styled } from 'styled-components';

/** A link to another view, inside a text. */
export const TextLink = styled(Link)`
  color: ${({ theme }) => theme.colors.primary700};
`;
