import { SECRET_HEADERS } from '../server/src/http/request-message';

/** What a function's source text shows about the sources of its responses. */
export interface Sources {
  /** What it reads of a request and does not name in `Vary`, as named in `keys.useHeaders` and `keys.ignoreHeaders`. */
  readonly reads: readonly string[];
  /** Sources it may answer from whose changes no write shows. */
  readonly unobserved: readonly string[];
}

/** A property of a request, by the usual names for one; `ctx.request` and `ctx.req` are included. */
const of = (text: string): RegExp => new RegExp(String.raw`\b(?:ctx|context|request|req)\??\.${text}`, 'g');

/** Reads of a single header, whose name is captured. */
const NAMED = [
  of(String.raw`get\(\s*['"\`]([\w-]+)['"\`]`),
  of(String.raw`headers?(?:\?\.)?\[\s*['"\`]([\w-]+)['"\`]\s*\]`),
  of(String.raw`headers?\??\.(\w+)`),
];

const READ: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['*', of(String.raw`headers?\b(?!\s*(?:\?\.|\.|\[))`)],
  ['*', /\{[^}]*\bheaders?\b[^}]*\}\s*=\s*(?:ctx|context|request|req)\b/],
  ['remote-address', of(String.raw`ips?\b|\bremoteAddress\b`)],
  ['if-none-match', of(String.raw`(?:fresh|stale)\b`)],
  ['cookie', of(String.raw`cookies\b(?!\s*(?:\?\.|\.)\s*set\b)`)],
  ['host', of(String.raw`(?:host|hostname|href|origin|URL|subdomains)\b`)],
];

/** Headers that it names in `Vary`. Its responses are then stored, one for each variant. */
const VARIED = /\.(?:vary\(|(?:set|append)\(\s*['"`]vary['"`]\s*,)([^)]*)\)/gi;

const UNOBSERVED: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ['another server', /\b(?:fetch|axios|got|superagent)(?:\.\w+)?\s*\(|\bhttps?\.(?:get|request)\s*\(/],
  ['files', /\breadFile(?:Sync)?\s*\(|\bcreateReadStream\s*\(|\breaddir(?:Sync)?\s*\(/],
  ['the time', /\bDate\.now\s*\(|\bnew Date\s*\(\s*\)|\bnew Date\b(?!\s*\()/],
  ['chance', /\bMath\.random\s*\(|\brandom(?:UUID|Bytes|Int)\s*\(/],
];

/** Reads only the function's own text. Functions that it calls, and header names built at run time, are not seen. */
export const sourcesIn = (code: string): Sources => {
  const text = withoutComments(code);
  const named = NAMED.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name.toLowerCase()));
  const matching = (list: ReadonlyArray<readonly [string, RegExp]>): string[] =>
    list.filter(([, pattern]) => text.search(pattern) >= 0).map(([name]) => name);
  const varied = [...text.matchAll(VARIED)]
    .flatMap(([, names = '']) => names.toLowerCase().match(/[\w-]+/g) ?? [])
    .filter((name) => !SECRET_HEADERS.includes(name));
  const reads = [...new Set([...named, ...matching(READ)])].filter((name) => !varied.includes(name));
  return { reads, unobserved: matching(UNOBSERVED) };
};

const withoutComments = (code: string): string =>
  code.replace(/\/\*[^]*?\*\//g, '').replace(/(^|[\s;{}(,])\/\/[^\n]*/g, '$1');
