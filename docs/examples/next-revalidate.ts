// app/api/revalidate/route.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { revalidateTag } from 'next/cache';

export const POST = async (request: Request): Promise<Response> => {
  const body = await request.text();
  const expected = `sha256=${createHmac('sha256', process.env.REST_CACHE_SECRET ?? '')
    .update(body)
    .digest('hex')}`;
  const given = request.headers.get('x-rest-cache-signature') ?? '';
  const isGenuine = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
  if (!isGenuine) return new Response(null, { status: 401 });
  const { keys } = JSON.parse(body) as { readonly keys: readonly string[] };
  for (const key of keys) revalidateTag(key, { expire: 0 });
  return new Response(null, { status: 204 });
};
