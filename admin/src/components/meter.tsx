import { Box } from '@strapi/design-system';
import { styled } from 'styled-components';

const Track = styled(Box)`
  height: 0.4rem;
  width: 100%;
  border-radius: 2px;
  overflow: hidden;
  background: ${({ theme }) => theme.colors.neutral200};
`;

const Fill = styled.div`
  height: 100%;
  min-width: 2px;
  background: ${({ theme }) => theme.colors.primary600};
`;

interface MeterProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly value: number;
}

/** How much of something is used. */
export const Meter = ({ label, value }: MeterProps) => {
  const percent = Math.round(100 * Math.min(1, Math.max(0, value)));
  return (
    <Track role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent}>
      <Fill style={{ width: `${percent}%` }} />
    </Track>
  );
};
