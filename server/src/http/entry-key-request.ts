import { z } from 'zod';
import type { CacheKey } from '../cache/key';
import { parseRequest } from './parse-request';

/** Node's limit for a request line leaves no room for a longer key that was ever stored. */
const MAX_KEY = 20_000;

const body = z.strictObject({ key: z.string().min(1).max(MAX_KEY) });
const query = z.object({ key: z.string().min(1).max(MAX_KEY) });

/** @throws ValidationError, which Strapi answers with status 400. */
export const entryKeyInBody = (sent: unknown): CacheKey =>
  parseRequest(body, sent, 'The body is { key }').key as CacheKey;

/** @throws ValidationError, which Strapi answers with status 400. */
export const entryKeyInQuery = (sent: unknown): CacheKey =>
  parseRequest(query, sent, 'The query is ?key=…').key as CacheKey;
