import { inPlainText, type Move, type Origin, type Outcome } from './moves';
import { writtenOptions, type WrittenOption } from './written-options';

export interface OptionReport {
  /** Where it stands, `strategy.contentTypes[0].hitpass`; with `[]` for any element where nothing is to be said of it. */
  readonly options: readonly string[];
  readonly outcome: Outcome;
  /** What it does there, and what here; nothing where that is the same. */
  readonly there?: string;
  readonly here?: string;
}

/** What becomes of each option that is written, and of what does not depend on an option. */
export const reportOptions = (config: unknown, { moves }: Pick<Origin, 'moves'>): OptionReport[] => {
  const written = writtenOptions(config);
  const told = moves
    .map((move) => ({ move, options: written.filter((option) => isAbout(move, option)) }))
    .filter(({ options }) => options.length > 0);
  const others = written.filter((option) => !told.some(({ options }) => options.includes(option)));
  const same: OptionReport = { options: [...new Set(others.map(({ pattern }) => pattern))], outcome: 'same' };
  return [
    ...(same.options.length === 0 ? [] : [same]),
    ...told.map(({ move: { outcome, there, here }, options }) => ({
      options: options.map(({ path }) => path),
      outcome,
      there: inPlainText(there),
      here: inPlainText(here),
    })),
  ];
};

const isAbout = ({ options = [], when }: Move, option: WrittenOption): boolean =>
  options.includes(option.pattern) && (when === undefined || when(option.value, option));

export const reportBeside = ({ moves }: Pick<Origin, 'moves'>): Array<Pick<Move, 'there' | 'here'>> =>
  moves
    .filter(({ options }) => options === undefined)
    .map(({ there, here }) => ({ there: inPlainText(there), here: inPlainText(here) }));
