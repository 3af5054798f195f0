// Other parts of the project that import this file need the type of `import.meta.glob`.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./lua.d.ts" />
import { KEPT_FOR } from '../keyspace';

const texts = import.meta.glob('./*.lua', { query: '?raw', import: 'default', eager: true });

const textOf = (name: string): string => {
  const text = texts[`./${name}.lua`];
  if (text === undefined) throw new Error(`There is no script ${name}.lua`);
  return text;
};

/** A script that consists of the files of these names. */
const script = (numberOfKeys: number, ...names: readonly string[]) => ({
  numberOfKeys,
  lua: names.map(textOf).join('\n'),
});

/** A script that is given the bookkeeping keys, followed by `ownKeys` further keys. */
const keeping = (ownKeys: number, ...names: readonly string[]) => {
  const { numberOfKeys, lua } = script(7 + ownKeys, 'position', ...names);
  return { numberOfKeys, lua: `local KEPT_FOR = ${KEPT_FOR}\n${lua}` };
};

/** Each script, after the files it builds on. Its arguments and replies are described at the head of its file. */
export const SCRIPTS = {
  restCacheLookup: keeping(1, 'stamp', 'marks', 'index-of-entries', 'sealed', 'trusted', 'lookup'),
  restCacheStore: keeping(2, 'stamp', 'marks', 'index-of-entries', 'sealed', 'digest', 'store'),
  restCacheAnnounce: keeping(0, 'stamp', 'marks', 'trusted', 'announce'),
  restCacheInvalidate: keeping(0, 'stamp', 'marks', 'trusted', 'invalidate'),
  restCacheFollow: keeping(0, 'trusted', 'follow'),
  restCacheBeat: keeping(0, 'stamp', 'trusted', 'beat', 'follow'),
  restCacheJoin: keeping(0, 'stamp', 'join'),
  restCacheClear: keeping(1, 'stamp', 'index-of-entries', 'trusted', 'clear'),
  restCacheDrop: keeping(1, 'stamp', 'index-of-entries', 'trusted', 'drop'),
  restCacheIssue: keeping(0, 'stamp', 'marks', 'edge', 'trusted', 'issue'),
  restCacheOwe: keeping(0, 'edge', 'trusted', 'owe'),
  restCacheOwed: keeping(0, 'edge', 'trusted', 'owed'),
  restCacheSettle: keeping(0, 'edge', 'trusted', 'settle'),
  restCacheSummaries: keeping(2, 'stamp', 'index-of-entries', 'sealed', 'digest', 'trusted', 'summaries'),
  restCacheQuestion: script(2, 'digest', 'question'),
  restCacheCount: script(1, 'count'),
  restCacheNote: script(1, 'note'),
  restCacheSweep: script(3, 'sweep'),
} as const;
