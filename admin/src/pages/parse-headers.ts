/** Parses `Name: value` lines; other lines are ignored. */
export const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon)).trim();
      return name === '' ? [] : [[name, line.slice(colon + 1).trim()]];
    }),
  );
