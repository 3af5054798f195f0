// server/api/revalidate.post.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createError, defineEventHandler, forgetFromStrapi, getHeader, readRawBody, sendNoContent } from '#imports';

export default defineEventHandler(async (event) => {
  const body = (await readRawBody(event)) ?? '';
  const expected = `sha256=${createHmac('sha256', process.env.REST_CACHE_SECRET ?? '')
    .update(body)
    .digest('hex')}`;
  const given = getHeader(event, 'x-rest-cache-signature') ?? '';
  const isGenuine = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  if (!isGenuine) throw createError({ statusCode: 401 });
  const { keys } = JSON.parse(body) as { readonly keys: readonly string[] };
  await forgetFromStrapi(new Set(keys));
  return sendNoContent(event);
});
