import { SingleSelect, SingleSelectOption } from '@strapi/design-system';
import type { PeriodName } from '../api/responses';
import { usePeriod } from '../hooks/use-period';
import { useWords } from '../hooks/use-words';

const PERIODS: readonly PeriodName[] = ['hour', 'day', 'week'];

/** Chooses the period of all views. */
export const PeriodChoice = () => {
  const { words } = useWords();
  const [chosen, choose] = usePeriod();
  return (
    <SingleSelect
      size="S"
      aria-label={words('period')}
      value={chosen}
      onChange={(value) => choose(PERIODS.find((period) => period === String(value)) ?? 'hour')}
    >
      {PERIODS.map((period) => (
        <SingleSelectOption key={period} value={period}>
          {words(`period.${period}`)}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
};
