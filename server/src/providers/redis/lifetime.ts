/**
 * Redis keeps nothing for longer than this that nobody uses: a week. Bookkeeping is renewed by those who use it; an entry
 * is computed anew after it, whatever its `maxAge`.
 */
export const KEPT_FOR = 7 * 86_400_000;
