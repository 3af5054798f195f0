/**
 * Measures one claim about memory in a fresh process: `entries` (30,000 entries of 83 KB), `flood` (a million distinct
 * URLs) or `tags` (what 100,000 entries take in addition to their bodies). Run through tsx with --expose-gc; prints
 * JSON.
 */

import { measureEntries, measureFlood, measureTags } from './memory.ts';

const [what, scale = '1'] = process.argv.slice(2);
console.log(
  JSON.stringify(await { entries: measureEntries, flood: measureFlood, tags: measureTags }[what](Number(scale))),
);
