import { styled } from 'styled-components';

/** Keys, paths and other machine-readable text. It breaks at any character rather than being cut off. */
export const Code = styled.code`
  font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
  font-size: 1.2rem;
  line-height: 1.6;
  overflow-wrap: anywhere;
  color: ${({ theme }) => theme.colors.neutral800};
`;

export const CodeBlock = styled.pre`
  font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
  font-size: 1.2rem;
  line-height: 1.6;
  max-height: 32rem;
  overflow: auto;
  margin: 0;
  padding: ${({ theme }) => theme.spaces[4]};
  color: ${({ theme }) => theme.colors.neutral800};
  background: ${({ theme }) => theme.colors.neutral100};
  border-radius: ${({ theme }) => theme.borderRadius};
`;
