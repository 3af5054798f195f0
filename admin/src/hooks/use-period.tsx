import { createContext, useContext, useState, type ReactNode } from 'react';
import type { PeriodName } from '../api/responses';

type Choice = readonly [period: PeriodName, choose: (period: PeriodName) => void];

const Chosen = createContext<Choice>(['hour', () => undefined]);

/** Keeps the period that the numbers of all views are of. */
export const PeriodProvider = ({ children }: { readonly children: ReactNode }) => {
  const choice = useState<PeriodName>('hour');
  return <Chosen.Provider value={choice}>{children}</Chosen.Provider>;
};

export const usePeriod = (): Choice => useContext(Chosen);
