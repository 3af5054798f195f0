import { describeValue } from '../config/configuration-error';
import { badRequest, encodable, parseRequest } from './request';
import { maxHeaderSize } from 'node:http';
import { z } from 'zod';
import { narrowingNames } from '../cache/bookkeeping-tags';
import { parsePathPattern } from '../config/route-matching';
import type { ResolvedConfig } from '../config/resolved-config';
import { systemClock } from '../cache/clock';
import type { Tag } from '../cache/tag';
import { ageOf } from '../http/replay';
import type { PurgeSubject } from '../monitor/activity';
import type { RestCache } from '../plugin/rest-cache';
import { changeTags } from '../dependencies/change-tags';
import type { Row } from '../sql/column-value';
import { tableTag } from '../dependencies/dependency-tags';
import type { NetChange } from '../dependencies/net-changes';
import { UNKNOWN_HALF } from '../dependencies/row-scope';

/** @throws an error that is answered with status 400 when it is not one of those that are cached. */
export const cachedContentType = (sent: string, cached: readonly string[]): string => {
  if (cached.includes(sent)) return sent;
  throw badRequest(
    `${describeValue(sent)} is not a cached content type; ` +
      (cached.length === 0 ? 'none is cached' : `expected one of ${cached.map((uid) => `"${uid}"`).join(', ')}`),
  );
};

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

export interface EntryCount {
  readonly entries: number;
  /** Of the oldest of them, in milliseconds; `null` where there are none. */
  readonly oldestAge: number | null;
}

/** The valid entries that carry one of these tags. Enumerates the store. */
export const countEntries = async ({ provider }: RestCache, tags: readonly Tag[]): Promise<EntryCount> => {
  const wanted = new Set(tags);
  const now = systemClock.now();
  let entries = 0;
  let oldestAge: number | null = null;
  for await (const entry of provider.entries()) {
    if (!entry.tags.some((name) => wanted.has(name))) continue;
    entries += 1;
    oldestAge = Math.max(oldestAge ?? 0, ageOf(entry, now));
  }
  return { entries, oldestAge };
};

/**
 * Purges on behalf of a person, who wants to know how much went.
 *
 * @returns how many entries there were; `null` where the store could not be asked.
 */
export const purgeCounted = async (
  restCache: RestCache,
  subject: PurgeSubject,
  tags: readonly Tag[],
): Promise<number | null> => {
  const counted = await countEntries(restCache, tags).catch(() => undefined);
  await restCache.invalidate(tags, subject, counted?.entries);
  return counted?.entries ?? null;
};

export interface InvalidationRequest {
  /** Table names as in the database. */
  readonly tables?: readonly string[];
  /** Uids; everything computed from their tables. */
  readonly contentTypes?: readonly string[];
  readonly documents?: ReadonlyArray<{ readonly contentType: string; readonly documentId: string }>;
}

/** The tags that concern what somebody else has written. */
export const invalidationTags = async (
  restCache: RestCache,
  { tables = [], contentTypes = [], documents = [] }: InvalidationRequest,
): Promise<Tag[]> => {
  const tags = [...tables, ...contentTypes.map((uid) => tableNameOf(restCache, uid))].map((table) =>
    tableTag(table.toLowerCase()),
  );
  const changes: NetChange[] = [];
  for (const { contentType, documentId } of documents) {
    const table = tableNameOf(restCache, contentType);
    const rows = (await restCache.strapi.db
      .getConnection(table)
      .select('*')
      .where({ document_id: documentId })) as Row[];
    // Without a row the document is gone, and what contained it cannot be told any more.
    if (rows.length === 0) tags.push(tableTag(table.toLowerCase()));
    for (const row of rows) {
      changes.push({
        kind: 'updated',
        table: table.toLowerCase(),
        before: row,
        after: row,
        changed: Object.keys(row),
        moved: true,
      });
    }
  }
  const net = { everything: false, tables: new Set<string>(), rows: changes };
  return [...tags, ...changeTags(net, restCache.catalog, UNKNOWN_HALF)];
};

const tableNameOf = ({ strapi }: RestCache, uid: string): string => {
  if (!strapi.db.metadata.has(uid)) throw new Error(`rest-cache: "${uid}" is not a content type of this application`);
  return strapi.db.metadata.get(uid).tableName;
};
