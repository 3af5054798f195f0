/** Names one entry; see `cacheKey` for its grammar. Logical: providers add their own prefix. */
export type CacheKey = string & { readonly __brand: 'cache-key' };
