import type { Context, Next } from 'koa';
import { record, Recording } from '../observe/recording';

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The outermost middleware: gives every request a recording of what it reads. A representation that something between
 * here and the route has compressed is not the one its strong entity tag names, so the tag becomes weak (RFC 9110,
 * section 8.8.3.3).
 */
export const observeRequest = async (ctx: Context, next: Next): Promise<void> => {
  const recording = new Recording(!READING_METHODS.has(ctx.method));
  try {
    await record(recording, next);
  } finally {
    recording.close();
  }
  const etag = ctx.response.get('ETag');
  if (etag.startsWith('"') && ctx.response.get('Content-Encoding') !== '') ctx.set('ETag', `W/${etag}`);
};
