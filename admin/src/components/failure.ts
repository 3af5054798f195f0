import type { useWords } from '../hooks/use-words';

/** A failure as the query library reports it: the server's error, or that the server could not be reached. */
export interface QueryFailure {
  readonly name?: string;
  readonly message?: string;
  readonly status?: number;
}

/** The HTTP status of the failed request; `undefined` if there was no response. */
export const statusOf = ({ status }: QueryFailure): number | undefined => status;

/** One sentence that says why the server refused or did not answer. */
export const describeFailure = (
  { name, message, status }: QueryFailure,
  words: ReturnType<typeof useWords>['words'],
): string => {
  if (status === 403) return words('failure.forbidden');
  if (status === 503) return words('failure.store', { message: message ?? '' });
  if (status === undefined && (name === 'TypeError' || name === 'UnknownError')) return words('failure.unreachable');
  return message ?? words('failure.unknown');
};
