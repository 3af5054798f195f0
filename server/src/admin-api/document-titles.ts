import type { Core, UID } from '@strapi/strapi';

/** The part of the content manager's services that is used here. */
interface PermissionChecker {
  readonly cannot: { read(entity?: unknown, field?: string): boolean };
  readonly sanitizedQuery: { read(query: object): Promise<object> };
}
interface PermissionCheckers {
  create(of: { readonly userAbility: unknown; readonly model: string }): PermissionChecker;
}
interface Configurations {
  findConfiguration(of: { readonly uid: string }): Promise<{ readonly settings: { readonly mainField?: string } }>;
}

/** Maximum number of documents whose titles are looked up at once. */
const MAX_TITLES = 300;

/**
 * The titles of documents as the content manager shows them, by document id. Documents that the admin with this ability
 * may not read there are left out.
 */
export const documentTitles = async (
  strapi: Core.Strapi,
  userAbility: unknown,
  uid: string,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const contentManager = strapi.plugin('content-manager');
  const checker = contentManager.service<PermissionCheckers>('permission-checker').create({ userAbility, model: uid });
  const { settings } = await contentManager.service<Configurations>('content-types').findConfiguration({ uid });
  const { mainField = 'documentId' } = settings;
  if (checker.cannot.read() || checker.cannot.read(undefined, mainField)) return new Map();
  const query = await checker.sanitizedQuery.read({
    filters: { documentId: { $in: documentIds.slice(0, MAX_TITLES) } },
    fields: ['documentId', mainField],
  });
  const rows = (await strapi
    .documents(uid as UID.ContentType)
    .findMany({ ...query, status: 'draft', limit: MAX_TITLES })) as unknown as ReadonlyArray<Record<string, unknown>>;
  const titled = rows.filter((row) => typeof row[mainField] === 'string' || typeof row[mainField] === 'number');
  return new Map(titled.map((row) => [String(row.documentId), String(row[mainField])]));
};
