import { z } from 'zod';
import type { CacheKey } from '../cache/key';
import { parseRequest, text } from './parse-request';

/** Node's limit for a request line leaves no room for a longer key that was ever stored. */
const MAX_KEY = 20_000;

const body = z.strictObject({ key: text(MAX_KEY).min(1) });
const query = z.object({ key: text(MAX_KEY).min(1) });

/** @throws an error that is answered with status 400. */
export const entryKeyInBody = (sent: unknown): CacheKey =>
  parseRequest(body, sent, 'The body is { key }').key as CacheKey;

/** @throws an error that is answered with status 400. */
export const entryKeyInQuery = (sent: unknown): CacheKey =>
  parseRequest(query, sent, 'The query is ?key=…').key as CacheKey;
