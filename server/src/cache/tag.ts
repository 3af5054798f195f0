/**
 * Names something a response was computed from, so that an invalidation can name it too. Opaque to the engine and to
 * every provider: only `dependencies/tags.ts` gives tags their meaning.
 */
export type Tag = string & { readonly __brand: 'tag' };

export const tag = (name: string): Tag => name as Tag;

/** Every entry carries this tag: stamping it resets the cache. */
export const EVERYTHING = tag('*');
