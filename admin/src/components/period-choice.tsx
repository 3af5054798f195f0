import { SingleSelect, SingleSelectOption } from '@strapi/design-system';
import type { PeriodName } from '../api/responses';
import { useWords } from '../hooks/use-words';

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
      onChange={(chosen) => onChange(chosen === 'day' ? 'day' : 'hour')}
    >
      <SingleSelectOption value="hour">{words('period.hour')}</SingleSelectOption>
      <SingleSelectOption value="day">{words('period.day')}</SingleSelectOption>
    </SingleSelect>
  );
};
