import { createHash } from 'node:crypto';
import type { Application } from './start-application';

export interface Asked {
  readonly query?: string;
  readonly variables?: object | null;
  readonly operationName?: string | null;
  readonly extensions?: object;
}

export interface Answered {
  readonly status: number;
  readonly cache: string | null;
  /** `Cache-Status`. */
  readonly told: string;
  readonly body: string;
  readonly headers: Headers;
}

type Sender = Pick<Application, 'request'>;

const answered = async (response: Response): Promise<Answered> => ({
  status: response.status,
  cache: response.headers.get('x-cache'),
  told: response.headers.get('cache-status') ?? '',
  body: await response.text(),
  headers: response.headers,
});

/** Sends an operation by POST. */
export const post = async (
  application: Sender,
  asked: Asked | readonly Asked[],
  headers: Record<string, string> = {},
): Promise<Answered> =>
  answered(
    await application.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(asked),
    }),
  );

/** Sends an operation by GET. */
export const get = async (
  application: Sender,
  asked: Asked,
  headers: Record<string, string> = { 'apollo-require-preflight': 'true' },
): Promise<Answered> => {
  const parameters = Object.entries(asked).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return answered(await application.request(`/graphql?${new URLSearchParams(parameters).toString()}`, { headers }));
};

/** The number of a document's text, by which persisted queries are known. */
export const persisted = (query: string): object => ({
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
});
