import { summariser, type EntrySummary, type SummaryQuestion } from './entry-summary';
import type { Provider } from './provider';

type Enumerated = Pick<Provider, 'summaries' | 'entries'>;

/** The provider's own summaries, or summaries made from its entries. */
export const summariesOf = (
  provider: Enumerated,
  question: SummaryQuestion,
): AsyncIterable<readonly EntrySummary[]> | Iterable<readonly EntrySummary[]> =>
  provider.summaries?.(question) ?? fromEntries(provider, question);

async function* fromEntries(provider: Enumerated, question: SummaryQuestion): AsyncIterable<readonly EntrySummary[]> {
  const summarise = summariser(question);
  for await (const entry of provider.entries?.() ?? []) {
    const summary = summarise(entry);
    yield summary === undefined ? [] : [summary];
  }
}
