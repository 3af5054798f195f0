import { errors } from '@strapi/utils';
import { z } from 'zod';

export const ENTRY_SORTS = ['key', 'contentType', 'age', 'timeToLive', 'size', 'hits'] as const;

const schema = z.object({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(20),
  /** Part of a key, in any case. */
  search: z.string().max(2000).default(''),
  contentType: z.string().optional(),
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

/** @throws ValidationError, which Strapi answers with status 400. */
export const entriesRequest = (query: unknown): EntriesRequest => {
  const parsed = schema.safeParse(query);
  if (!parsed.success) {
    throw new errors.ValidationError('Invalid query for the list of entries', {
      errors: parsed.error.issues.map(({ path, message }) => ({
        path: path.map(String),
        message,
        name: 'ValidationError',
      })),
    });
  }
  const { page, pageSize, search, contentType } = parsed.data;
  const [sort, direction] = parsed.data.sort.split(':') as [EntriesRequest['sort'], string];
  return { page, pageSize, search, contentType, sort, descending: direction === 'desc' };
};
