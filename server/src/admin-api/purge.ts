import { maxHeaderSize } from 'node:http';
import { z } from 'zod';
import { said } from '../cache/sentence';
import type { Tag } from '../cache/tag';
import { describeValue } from '../config/configuration-error';
import { likelyName } from '../config/nearest-name';
import { contentTypeTag, narrowingNames, paramsTag } from '../dependencies/tags';
import { GRAPHQL } from '../graphql/graphql-uid';
import type { Purge, RestCache } from '../plugin/rest-cache';
import { census } from './census';
import { documentsNamed, invalidationTags, type InvalidationRequest } from './invalidation-tags';
import { badRequest, encodable, has, parseRequest, text } from './request';
import { takeStock } from './store-away';

/** @throws an error that is answered with status 400 when the content type is not cached. */
export const requireCached = (uid: string, cached: readonly string[]): void => {
  if (cached.includes(uid)) return;
  const likely = likelyName(uid.slice(0, MAX_MEANT), cached);
  const all = cached.map((each) => `"${each}"`);
  throw badRequest(
    cached.length === 0
      ? said('none-cached')`${describeValue(uid)} is not a cached content type; none is cached`
      : likely === undefined
        ? said('type-not-cached')`${describeValue(uid)} is not a cached content type; expected one of ${all}`
        : said(
            'misspelt-type',
          )`${describeValue(uid)} is not a cached content type; did you mean "${likely}"? expected one
            of ${all}`,
  );
};

/** How many characters of an unknown name are compared with uids, to suggest the one that was meant. */
const MAX_MEANT = 200;

/** A route parameter. None is longer than `maxHeaderSize`, because Node refuses longer request lines. */
const parameter = z.union([encodable(maxHeaderSize), z.number()]);

const schema = z.strictObject({
  contentType: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  wildcard: z.boolean().optional(),
});

const FORM = 'The body of a purge request is { contentType, params?, wildcard? }';

const PARAMS_FORM = `The params of a purge are numbers, or texts of at most ${maxHeaderSize} characters without lone surrogates`;

/** The content types that can be purged, by uid, each with the route parameters by which a purge can be narrowed. */
export type Purgeable = ReadonlyMap<string, ReadonlySet<string>>;

const purgeable = ({ config, documentUids, shownUids }: RestCache): Purgeable => {
  const { contentTypes } = config.strategy;
  const routesOf = (uid: string) => contentTypes.find((type) => type.uid === uid)?.routes ?? [];
  const namesOf = (uid: string) => routesOf(uid).flatMap(({ paramNames }) => narrowingNames(paramNames));
  return new Map([...documentUids, ...shownUids].map((uid) => [uid, new Set(namesOf(uid))]));
};

export interface PurgeRequest {
  readonly contentType: string;
  /** `undefined`: everything of the content type. */
  readonly params: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Reads the body of a purge request.
 *
 * @throws an error that is answered with status 400 when the body is not of the documented form, or names a content
 * type that is not cached or a parameter that none of its routes has.
 */
export const purgeRequest = (body: unknown, cached: Purgeable): PurgeRequest => {
  const { contentType, params, wildcard } = parseRequest(schema, body, FORM);
  requireCached(contentType, [...cached.keys()]);
  const known = cached.get(contentType) ?? new Set<string>();
  if (params === undefined || wildcard === true) return { contentType, params: undefined };
  // Read from the body as sent: the parser drops names such as `__proto__`, and a purge without them would be too wide.
  const sent = Object.entries((body as { params: object }).params) as Array<[string, unknown]>;
  for (const [name] of sent) {
    if (!known.has(name)) throw unknownParameter(name, contentType, known);
  }
  const values = parseRequest(z.record(z.string(), parameter), Object.fromEntries(sent), PARAMS_FORM);
  return { contentType, params: values };
};

const unknownParameter = (name: string, contentType: string, known: ReadonlySet<string>): Error =>
  badRequest(
    known.size === 0
      ? said('no-params')`params: no cached route of "${contentType}" has a parameter ${describeValue(name)}; they have
          none, so leave params out`
      : said(
          'unknown-param',
        )`params: no cached route of "${contentType}" has a parameter ${describeValue(name)}; expected
          ${[...known].map((each) => `"${each}"`)}`,
  );

/**
 * The purge of a content type's entries; with `params`, only of those whose route parameters include them. Unless
 * `clearRelatedCache` is false, it also includes everything that was computed from the content type, or from the
 * documents that the parameters name: people purge after a write that Strapi has not seen.
 */
export const contentTypePurge = async (
  restCache: RestCache,
  uid: string,
  params: PurgeRequest['params'] = {},
): Promise<Purge> => {
  const isWhole = Object.keys(params).length === 0;
  // GraphQL is no content type: nothing else is computed from it.
  const isRelated = restCache.config.strategy.clearRelatedCache && uid !== GRAPHQL;
  const related = async (): Promise<InvalidationRequest> => {
    const named = isWhole ? undefined : await documentsNamed(restCache, uid, params);
    return named === undefined ? { contentTypes: [uid] } : documentsOf(uid, named);
  };
  return {
    subject: { kind: 'content-type', uid, ...(isWhole ? {} : { params }) },
    tags: [
      isWhole ? contentTypeTag(uid) : paramsTag(uid, params),
      ...(isRelated ? await invalidationTags(restCache, await related()) : []),
    ],
  };
};

const documentsOf = (contentType: string, documentIds: readonly string[]): InvalidationRequest => ({
  documents: documentIds.map((each) => ({ contentType, documentId: each })),
});

/**
 * Carries out `POST /rest-cache/purge` and its counterpart of the content API.
 *
 * @throws an error that is answered with status 400.
 */
export const purgeContentType = async (restCache: RestCache, body: unknown): Promise<Purged> =>
  purgeNow(restCache, await requestedPurge(restCache, body));

/** @throws an error that is answered with status 400. */
export const requestedPurge = async (restCache: RestCache, body: unknown): Promise<Purge> => {
  const { contentType, params } = purgeRequest(body, purgeable(restCache));
  return contentTypePurge(restCache, contentType, params);
};

/** Maximum number of documents in one request: more than an editor selects on one page of the list. */
const MAX_DOCUMENTS = 500;

/** How many of them are listed in the activity log. */
const MAX_LISTED = 20;

/** As long as the column that holds it. */
export const documentId = text(255).min(1);

const documentsSchema = z.strictObject({
  contentType: z.string(),
  documents: z.array(documentId).min(1).max(MAX_DOCUMENTS),
});

/** @throws an error that is answered with status 400. */
export const purgeDocumentsRequest = (body: unknown, cached: readonly string[]): z.output<typeof documentsSchema> => {
  const request = parseRequest(documentsSchema, body, 'The body is { contentType, documents: [documentId, …] }');
  requireCached(request.contentType, cached);
  return request;
};

const documentsPurge = async (restCache: RestCache, body: unknown): Promise<Purge> => {
  const { contentType, documents } = purgeDocumentsRequest(body, restCache.documentUids);
  const tags = await invalidationTags(restCache, documentsOf(contentType, documents));
  const documentIds = documents.slice(0, MAX_LISTED);
  return { subject: { kind: 'documents', uid: contentType, documentIds, count: documents.length }, tags };
};

/**
 * Carries out `POST /rest-cache/purge-documents`.
 *
 * @throws an error that is answered with status 400.
 */
export const purgeDocuments = async (restCache: RestCache, body: unknown): Promise<Purged> =>
  purgeNow(restCache, await documentsPurge(restCache, body));

export type PurgePreview = Awaited<ReturnType<typeof previewPurge>>;

/**
 * Counts the cached responses that a purge would remove, for admins who may purge but not read statistics. Takes the
 * body of `POST /rest-cache/purge-documents` (which has `documents`) or of `POST /rest-cache/purge`. Enumerates the store.
 *
 * @throws an error that is answered with status 400, as the purge itself would.
 */
export const previewPurge = async (restCache: RestCache, body: unknown) => {
  const { tags } = await (has(body, 'documents') ? documentsPurge : requestedPurge)(restCache, body);
  return { entries: (await takeStock(restCache, carrying(tags))).entries };
};

/** @throws an error that is answered with status 400 when the body names anything: its caller wants to purge less. */
export const purgeEverything = async (restCache: RestCache, body: unknown): Promise<Purged> => {
  parseRequest(
    z.strictObject({}),
    body ?? {},
    'A reset purges everything and takes no parameters; to purge less, POST /rest-cache/purge',
  );
  const held = await restCache.reset();
  return { ...purgedReport(restCache, held ?? null), ...(held === undefined && { queued: true }) };
};

/** Counts the valid entries that carry one of these tags. */
const carrying = (tags: readonly Tag[]) => ({ ...census([tags], false), isKept: true });

export interface Purged {
  /**
   * How many entries the purge removed, where that is known without looking for them: what a preview of the same purge
   * has just counted; of a reset, all entries held, dead ones included. `null` otherwise, and if the store could not be
   * asked.
   */
  readonly entries: number | null;
  /** Set if the store is unavailable: the purge reaches it before it is used again. */
  readonly queued?: true;
}

const purgedReport = ({ provider }: RestCache, entries: number | null): Purged => ({
  entries,
  ...(provider.health().state === 'down' ? { queued: true } : {}),
});

/** Purges, and looks at no entry: that costs the same however many there are. */
const purgeNow = async (restCache: RestCache, purge: Purge): Promise<Purged> => {
  const counted = restCache.inventory.known(carrying(purge.tags))?.entries;
  await restCache.purge(purge, counted);
  return purgedReport(restCache, counted ?? null);
};
