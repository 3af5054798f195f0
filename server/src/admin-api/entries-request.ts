import { z } from 'zod';
import { parseRequest, text } from './parse-request';

export const ENTRY_SORTS = ['key', 'contentType', 'age', 'timeToLive', 'size', 'hits'] as const;

const schema = z.object({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(20),
  /** Part of a key, in any case. */
  search: text(2000).default(''),
  contentType: text(500).optional(),
  sort: z
    .string()
    .regex(
      new RegExp(`^(${ENTRY_SORTS.join('|')}):(asc|desc)$`),
      `Expected <column>:asc or <column>:desc with one of ${ENTRY_SORTS.join(', ')}`,
    )
    .default('key:asc'),
});

export interface EntriesRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly search: string;
  readonly contentType: string | undefined;
  readonly sort: (typeof ENTRY_SORTS)[number];
  readonly descending: boolean;
}

/** @throws an error that is answered with status 400. */
export const entriesRequest = (query: unknown): EntriesRequest => {
  const parsed = parseRequest(schema, query, 'Invalid query for the list of entries');
  const { page, pageSize, search, contentType } = parsed;
  const [sort, direction] = parsed.sort.split(':') as [EntriesRequest['sort'], string];
  return { page, pageSize, search, contentType, sort, descending: direction === 'desc' };
};
