import { SingleSelect, SingleSelectOption } from '@strapi/design-system';
import type { PeriodName } from '../api/responses';
import { useWords } from '../hooks/use-words';

const PERIODS: readonly PeriodName[] = ['hour', 'day', 'week'];

interface PeriodChoiceProps {
  readonly value: PeriodName;
  readonly onChange: (period: PeriodName) => void;
}

export const PeriodChoice = ({ value, onChange }: PeriodChoiceProps) => {
  const { words } = useWords();
  return (
    <SingleSelect
      size="S"
      aria-label={words('period')}
      value={value}
      onChange={(chosen) => onChange(PERIODS.find((period) => period === String(chosen)) ?? 'hour')}
    >
      {PERIODS.map((period) => (
        <SingleSelectOption key={period} value={period}>
          {words(`period.${period}`)}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
};
