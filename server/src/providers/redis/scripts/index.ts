// Whoever imports this from another part of the project needs to know what `?raw` gives.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./lua.d.ts" />
import { KEPT_FOR } from '../keyspace';
import announce from './announce.lua?raw';
import beat from './beat.lua?raw';
import clear from './clear.lua?raw';
import count from './count.lua?raw';
import drop from './drop.lua?raw';
import edge from './edge.lua?raw';
import follow from './follow.lua?raw';
import handOut from './hand-out.lua?raw';
import entryIndex from './index-of-entries.lua?raw';
import invalidate from './invalidate.lua?raw';
import join from './join.lua?raw';
import lookup from './lookup.lua?raw';
import marks from './marks.lua?raw';
import note from './note.lua?raw';
import owe from './owe.lua?raw';
import owed from './owed.lua?raw';
import positionOf from './position.lua?raw';
import renew from './renew.lua?raw';
import sealed from './sealed.lua?raw';
import settle from './settle.lua?raw';
import stamp from './stamp.lua?raw';
import store from './store.lua?raw';
import sweep from './sweep.lua?raw';
import trusted from './trusted.lua?raw';

const script = (numberOfKeys: number, ...parts: readonly string[]) => ({ numberOfKeys, lua: parts.join('\n') });

const position = `local KEPT_FOR = ${KEPT_FOR}\n${positionOf}`;

/** Each script with the functions it is written in. What they take and reply stands at the head of its file. */
export const SCRIPTS = {
  restCacheLookup: script(7, position, stamp, marks, entryIndex, sealed, trusted, lookup),
  restCacheStore: script(7, position, stamp, marks, entryIndex, sealed, store),
  restCacheAnnounce: script(4, position, stamp, marks, trusted, announce),
  restCacheInvalidate: script(4, position, stamp, marks, trusted, invalidate),
  restCacheRenew: script(4, position, trusted, renew),
  restCacheFollow: script(3, position, trusted, follow),
  restCacheBeat: script(5, position, stamp, trusted, beat, follow),
  restCacheJoin: script(6, position, stamp, join),
  restCacheClear: script(6, position, stamp, trusted, clear),
  restCacheDrop: script(6, position, stamp, entryIndex, trusted, drop),
  restCacheHandOut: script(6, position, stamp, marks, edge, trusted, handOut),
  restCacheOwe: script(5, position, edge, trusted, owe),
  restCacheOwed: script(5, position, edge, trusted, owed),
  restCacheSettle: script(5, position, edge, trusted, settle),
  restCacheCount: script(1, count),
  restCacheNote: script(1, note),
  restCacheSweep: script(3, sweep),
} as const;
