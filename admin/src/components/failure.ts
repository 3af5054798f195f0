import type { Sentence } from '../api/responses';
import type { useWords } from '../hooks/use-words';

/** A failure as the query library reports it: the server's error, or that the server could not be reached. */
export interface QueryFailure {
  readonly message?: string;
  readonly status?: number;
  readonly details?: unknown;
}

/** What the plugin's own routes say besides. */
interface Details {
  /** Why the server refuses the request. */
  readonly sentence?: Sentence;
  /** Why the store is unavailable. */
  readonly reason?: string;
  /** Where the request is not as the server expects it. */
  readonly errors?: ReadonlyArray<{ readonly path: readonly string[] }>;
}

/** The HTTP status of the failed request; `undefined` if there was no response. */
export const statusOf = ({ status }: QueryFailure): number | undefined => status;

/** One sentence that says why the server refused or did not answer. */
export const describeFailure = (
  { message, status = 0, details }: QueryFailure,
  { words, sentence }: Pick<ReturnType<typeof useWords>, 'words' | 'sentence'>,
): string => {
  const { sentence: said, reason = '', errors = [] } = (details ?? {}) as Details;
  if (status === 403) return words('failure.forbidden');
  if (status === 503 && reason !== '')
    return words('failure.store', { message: said === undefined ? reason : sentence(said) });
  // Or it was no answer of Strapi's: a proxy's page, for example.
  if (status === 0 || status === 503) return words('failure.unreachable');
  if (said !== undefined) return sentence(said);
  const fields = errors.map(({ path }) => path.join('.')).filter((field) => field !== '');
  if (fields.length > 0) return words('failure.invalid', { fields: fields.join(', ') });
  if (status >= 500) return words('failure.internal');
  return message === undefined ? words('failure.unknown') : words('failure.other', { status, message });
};
