import { expect, it } from 'vitest';
import { analyse } from '../../../server/src/sql/analyse';
import type { Dialect } from '../../../server/src/sql/tokens';
import { inWords } from './in-words';

const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres', 'mysql'];

/** Statements, each with what it is in words. */
type Statements = Readonly<Record<string, string>>;

/** Asks what statements are, in one dialect or in any. */
export const ask = (statements: Readonly<Partial<Record<'any' | Dialect, Statements>>>): void => {
  for (const [dialect, expected] of Object.entries(statements))
    it.each(Object.entries(expected))(`${dialect}: %s`, (sql, words) => {
      for (const each of dialect === 'any' ? DIALECTS : [dialect as Dialect])
        expect(inWords(analyse(sql, each)), each).toBe(words);
    });
};
