import { maxHeaderSize } from 'node:http';
import { z } from 'zod';
import { narrowingNames } from '../cache/bookkeeping-tags';
import { describeValue } from '../config/configuration-error';
import { parsePathPattern } from '../config/route-matching';
import type { ResolvedConfig } from '../config/resolved-config';
import { badRequest } from './bad-request';
import { cachedContentType } from './cached-content-type';
import { encodable, parseRequest } from './parse-request';

/** Longer than any value in a URL: Node refuses the request line before. */
const parameter = z.union([encodable(maxHeaderSize), z.number()]);

const schema = z.strictObject({
  contentType: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  wildcard: z.boolean().optional(),
});

const FORM = 'The body of a purge request is { contentType, params?, wildcard? }';

const PARAMS_FORM = `The params of a purge are numbers, or texts of at most ${maxHeaderSize} characters without lone surrogates`;

/** What can be purged: the names of the parameters of each cached content type's routes, by its uid. */
export type Purgeable = ReadonlyMap<string, ReadonlySet<string>>;

/** The parameters by which each cached content type's entries can be told apart. */
export const purgeable = ({ strategy }: ResolvedConfig): Purgeable =>
  new Map(
    strategy.contentTypes.map(({ uid, routes }) => [
      uid,
      new Set(
        routes.flatMap(({ path, paramNames }) => narrowingNames(paramNames ?? parsePathPattern(path).parameters)),
      ),
    ]),
  );

export interface PurgeRequest {
  readonly contentType: string;
  /** `undefined`: everything of the content type. */
  readonly params: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Reads the body of a purge request.
 *
 * @throws an error that is answered with status 400 when the body is not of the documented form, or names a content type
 * that is not cached or a parameter that none of its routes has.
 */
export const purgeRequest = (body: unknown, purgeable: Purgeable): PurgeRequest => {
  const { contentType, params, wildcard } = parseRequest(schema, body, FORM);
  const known = purgeable.get(cachedContentType(contentType, [...purgeable.keys()])) ?? new Set();
  if (params === undefined || wildcard === true) return { contentType, params: undefined };
  // As sent: a name such as `__proto__` does not come through the parser, and a purge must not be wider than asked for.
  const sent = Object.entries((body as { params: object }).params) as Array<[string, unknown]>;
  for (const [name] of sent) {
    if (!known.has(name)) throw unknownParameter(name, contentType, known);
  }
  const values = parseRequest(z.record(z.string(), parameter), Object.fromEntries(sent), PARAMS_FORM);
  return { contentType, params: values };
};

const unknownParameter = (name: string, contentType: string, known: ReadonlySet<string>): Error =>
  badRequest(
    `params: no cached route of "${contentType}" has a parameter ${describeValue(name)}; ` +
      (known.size === 0
        ? 'they have none, so leave params out'
        : `expected ${[...known].map((each) => `"${each}"`).join(', ')}`),
  );
