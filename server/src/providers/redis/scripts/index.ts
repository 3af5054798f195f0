// Other parts of the project that import this file need the type of a `?raw` import.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./lua.d.ts" />
import { KEPT_FOR } from '../keyspace';
import announce from './announce.lua?raw';
import beat from './beat.lua?raw';
import clear from './clear.lua?raw';
import count from './count.lua?raw';
import digest from './digest.lua?raw';
import drop from './drop.lua?raw';
import edge from './edge.lua?raw';
import follow from './follow.lua?raw';
import issueKeys from './issue.lua?raw';
import entryIndex from './index-of-entries.lua?raw';
import invalidate from './invalidate.lua?raw';
import join from './join.lua?raw';
import lookup from './lookup.lua?raw';
import marks from './marks.lua?raw';
import note from './note.lua?raw';
import owe from './owe.lua?raw';
import owed from './owed.lua?raw';
import positionOf from './position.lua?raw';
import question from './question.lua?raw';
import sealed from './sealed.lua?raw';
import settle from './settle.lua?raw';
import stamp from './stamp.lua?raw';
import store from './store.lua?raw';
import summaries from './summaries.lua?raw';
import sweep from './sweep.lua?raw';
import trusted from './trusted.lua?raw';

const script = (numberOfKeys: number, ...parts: readonly string[]) => ({ numberOfKeys, lua: parts.join('\n') });

/** A script that is given the bookkeeping keys, followed by `ownKeys` further keys. */
const keeping = (ownKeys: number, ...parts: readonly string[]) =>
  script(7 + ownKeys, `local KEPT_FOR = ${KEPT_FOR}\n${positionOf}`, ...parts);

/** Each script, after the files it builds on. Its arguments and replies are described at the head of its file. */
export const SCRIPTS = {
  restCacheLookup: keeping(1, stamp, marks, entryIndex, sealed, trusted, lookup),
  restCacheStore: keeping(2, stamp, marks, entryIndex, sealed, digest, store),
  restCacheAnnounce: keeping(0, stamp, marks, trusted, announce),
  restCacheInvalidate: keeping(0, stamp, marks, trusted, invalidate),
  restCacheFollow: keeping(0, trusted, follow),
  restCacheBeat: keeping(0, stamp, trusted, beat, follow),
  restCacheJoin: keeping(0, stamp, join),
  restCacheClear: keeping(1, stamp, entryIndex, trusted, clear),
  restCacheDrop: keeping(1, stamp, entryIndex, trusted, drop),
  restCacheIssue: keeping(0, stamp, marks, edge, trusted, issueKeys),
  restCacheOwe: keeping(0, edge, trusted, owe),
  restCacheOwed: keeping(0, edge, trusted, owed),
  restCacheSettle: keeping(0, edge, trusted, settle),
  restCacheSummaries: keeping(2, stamp, entryIndex, sealed, digest, trusted, summaries),
  restCacheQuestion: script(2, digest, question),
  restCacheCount: script(1, count),
  restCacheNote: script(1, note),
  restCacheSweep: script(3, sweep),
} as const;
