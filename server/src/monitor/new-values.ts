import { parametersIn, type CacheKey, type KeyParameters } from '../cache/key';
import { lruByText } from '../cache/lru-by-text';

/**
 * Parameters that Strapi's own controllers obey (@strapi/utils, content-api-constants). Any other one may be a tracking
 * parameter that changes no response.
 */
export const STRAPI_PARAMETERS: readonly string[] = [
  ...['fields', 'filters', 'populate', 'sort', 'pagination', 'locale', 'status', '_q'],
  ...['publicationFilter', 'hasPublishedVersion'],
];

/** In lists of plugins' types, the parameters for paging stand at the top. */
export const PAGING_PARAMETERS: readonly string[] = ['page', 'pageSize', 'start', 'limit'];

export const isStrapis = (name: string): boolean =>
  STRAPI_PARAMETERS.includes(name) || PAGING_PARAMETERS.includes(name);

/** Maximum number of parameters of one request that are looked at. */
const MAX_PARAMETERS = 8;

/** Maximum number of requests, each without some of its parameters, that are noted. A miss notes several. */
const MAX_NOTED = 20_000;

/** The sets of parameters whose new values may explain that a request is new: those that are not Strapi's own first. */
export const suspectsOf = (parameters: KeyParameters): ReadonlyArray<readonly string[]> => {
  const names = parameters.names.slice(0, MAX_PARAMETERS);
  const foreign = names.filter((name) => !isStrapis(name));
  const own = names.filter(isStrapis);
  return [...foreign.map((name) => [name]), ...(foreign.length > 1 ? [foreign] : []), ...own.map((name) => [name])];
};

/** Tells which parameters make requests new: those without which an earlier request was the same. */
export class NewValues {
  readonly #noted = lruByText<CacheKey, true>(MAX_NOTED);

  /**
   * Notes the first request for a key.
   *
   * @returns the parameters whose values alone are new; `undefined` if more than these is new.
   */
  note(key: CacheKey): readonly string[] | undefined {
    let found: readonly string[] | undefined;
    const parameters = parametersIn(key);
    for (const names of suspectsOf(parameters)) {
      const rest = parameters.without(names);
      if (found === undefined && this.#noted.has(rest)) found = names;
      this.#noted.set(rest, true);
    }
    this.#noted.set(key, true);
    return found;
  }

  /** Whether an earlier request was the same as this one, or differed only in parameters that the key leaves out. */
  knows(key: CacheKey): boolean {
    return this.#noted.has(key);
  }
}
