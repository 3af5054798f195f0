/** The same pattern, able to tell where its groups matched. */
const withIndices = new WeakMap<RegExp, RegExp>();

/**
 * One spelling for all paths that the router treats alike: outside of parameters the case does not matter, nor does a
 * trailing slash; inside, `%61` and `a` are the same.
 *
 * @param pattern the matched route's regular expression, whose groups are the route's parameters.
 */
export const canonicalPath = (path: string, pattern: RegExp): string => {
  let indexed = withIndices.get(pattern);
  if (indexed === undefined) {
    indexed = new RegExp(pattern.source, `${pattern.flags.replace('d', '')}d`);
    withIndices.set(pattern, indexed);
  }
  const groups = indexed.exec(path)?.indices?.slice(1) ?? [];
  let canonical = '';
  let position = 0;
  for (const group of groups) {
    // Optional parameters may be absent; nested groups lie inside one that has been taken already.
    if (group === undefined || group[0] < position) continue;
    const [start, end] = group;
    canonical += path.slice(position, start).toLowerCase() + canonicalParameter(path.slice(start, end));
    position = end;
  }
  canonical += path.slice(position).toLowerCase();
  return canonical.length > 1 && canonical.endsWith('/') ? canonical.slice(0, -1) : canonical;
};

/** Repeatable parameters hold slashes that separate their values. */
const canonicalParameter = (text: string): string => text.split('/').map(canonicalSegment).join('/');

const canonicalSegment = (text: string): string => {
  try {
    return encodeURIComponent(decodeURIComponent(text));
  } catch {
    // Not valid UTF-8 once decoded: the router passes it on as it is, and so do we. `%25` keeps it apart from others.
    return encodeURIComponent(text);
  }
};
