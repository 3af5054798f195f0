/**
 * One claim about memory, measured in a fresh process: `entries` (30,000 entries of 83 KB) or `flood` (a million
 * distinct URLs). Run through tsx with --expose-gc; prints JSON.
 */

import { measureEntries, measureFlood } from './memory.ts';

const [what, scale = '1'] = process.argv.slice(2);
console.log(JSON.stringify(await (what === 'flood' ? measureFlood : measureEntries)(Number(scale))));
