import type { Context } from 'koa';
import type { Reason } from '../cache/response-cache';
import type { ResolvedKeys, ResolvedRoute } from '../config/resolved-config';
import { exchangeOf } from './exchange';
import { ALL_HEADERS } from './request-reads';
import { countedHeaders } from './request-key';
import { headerIn, TRACING_HEADERS } from './request-message';
import type { RouteHeaders } from './response-headers';

/**
 * Characters that identifiers of tracers consist of, and that no escaping for JSON or HTML changes. What code in front
 * has made of a header stands on a line of its own.
 */
const IDENTIFIER = /^[\w.:;=,@/+\n-]*$/;

/** A part of an identifier that occurs in no response by chance. */
const TELLING_PART = /[a-z0-9]{8,}/g;

/**
 * Why a response must not be stored because of a tracing header (`x-request-id`) that was read in front of the handler.
 * Middlewares read these for the log, so the read alone does not count. But nobody says what a client sends in them:
 * the response must not show the value, or a part of it. A value that is not like an identifier could be shown in other
 * spellings, so it counts as shown.
 *
 * @param headers those that the route itself has set.
 */
export const shownTrace = (
  ctx: Context,
  body: Buffer,
  { headers }: Pick<RouteHeaders, 'headers'>,
  { keys }: Pick<ResolvedRoute, 'keys'>,
): Reason | undefined => {
  const { readsInFront } = exchangeOf(ctx);
  if (readsInFront === undefined) return undefined;
  const sent = countedHeaders(ctx);
  let shown: string | undefined;
  for (const [name, where] of readsInFront) {
    const value = (TRACING_HEADERS.has(name) && headerIn(sent, name)?.toLowerCase()) || '';
    if (value === '' || isSettled(name, keys)) continue;
    shown ??= `${body.toString()}\n${headers.map(([, line]) => line).join('\n')}`.toLowerCase();
    const parts = IDENTIFIER.test(value) ? value.match(TELLING_PART) : null;
    if (parts !== null && !parts.some((part) => shown?.includes(part))) continue;
    return {
      code: 'reads',
      detail: `may show ${name} of the request, read in ${where}, not in the key: see keys.useHeaders and keys.ignoreHeaders`,
      about: `${name} (${where})`,
      // The next caller may send another value, or none.
      isPassing: true,
    };
  }
  return undefined;
};

const isSettled = (name: string, { useHeaders, ignoreHeaders }: ResolvedKeys): boolean =>
  useHeaders.includes(name) || ignoreHeaders.includes(name) || ignoreHeaders.includes(ALL_HEADERS);
