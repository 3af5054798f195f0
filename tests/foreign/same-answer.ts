import type { Answer } from './answer';

/** Headers that depend on the connection or the clock, or that the plugin itself sets. */
const IGNORED = new Set([
  'date',
  'age',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'x-cache',
  'cache-status',
  'x-response-time',
  'vary',
]);

/** Whether two texts are the same JSON once parsed, even if their bytes differ. */
export const isSameJson = (one: string, other: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    return false;
  }
};

/** How the cached application's answer differs from the twin's; `undefined` if it does not. */
export const difference = (cached: Answer, twin: Answer): string | undefined => {
  if (cached.status !== twin.status) return `status ${cached.status} instead of ${twin.status}`;
  if (cached.body !== twin.body && inOrder(cached.body) !== inOrder(twin.body)) return parted(cached.body, twin.body);
  const isOwnTag = !twin.headers.some(([name]) => name === 'etag');
  const counts = (name: string): boolean => !IGNORED.has(name) && !(name === 'etag' && isOwnTag);
  const [one, other] = [listed(cached, counts), listed(twin, counts)];
  if (one !== other) return parted(one, other);
  const lost = [...varyOf(twin)].filter((name) => !varyOf(cached).has(name));
  return lost.length === 0 ? undefined : `Vary without ${lost.join(', ')}`;
};

const listed = ({ headers }: Answer, counts: (name: string) => boolean): string =>
  headers
    .filter(([name]) => counts(name))
    .map(([name, value], index) => ({ name, value, index }))
    .sort((one, other) => (one.name === other.name ? one.index - other.index : one.name < other.name ? -1 : 1))
    .map(({ name, value }) => `${name}: ${value}`)
    .join('\n');

/** The fields of Vary. The plugin may add some, but never remove any. */
const varyOf = ({ headers }: Answer): Set<string> =>
  new Set(
    headers
      .filter(([name]) => name === 'vary')
      .flatMap(([, value]) => value.toLowerCase().split(','))
      .map((name) => name.trim()),
  );

/**
 * If the pool has several connections, Strapi adds populated relations in the order in which their queries end. Only
 * the order of properties is evened out here; numbers keep their exact text.
 */
const inOrder = (body: string): string => {
  if (!body.startsWith('{"data"') && !body.startsWith('{"rows"')) return body;
  try {
    return JSON.stringify(
      JSON.parse(body.replace(/(?<=[:[,])-?\d[\d.eE+-]*(?=[,\]}])/g, '"#$&"')),
      (_key, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
          : value,
    );
  } catch {
    return body;
  }
};

/** The first place where two texts differ, with some context. */
const parted = (one: string, other: string): string => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `…${one.slice(from, at + 90)}… instead of …${other.slice(from, at + 90)}…`;
};
