/**
 * Whether a URL is one that a pattern stands for, in which each `*` stands for any text. Looks for each part where it
 * can stand first, and never again: a RegExp tries all places of all parts, and callers choose how long a URL is.
 */
export const urlPattern = (pattern: string): ((url: string) => boolean) => {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return (url) => url === pattern;
  return (url) => {
    if (!url.startsWith(first)) return false;
    let from = first.length;
    for (const part of parts) {
      const at = url.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return url.length - from >= last.length && url.endsWith(last);
  };
};
