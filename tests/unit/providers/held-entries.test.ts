import { expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';
import { anEntry } from '../monitor/route';
import { HeldEntries } from '../../../server/src/providers/held-entries';

const now = milliseconds(1000);

const entryOf = (name: string): Entry => anEntry({ key: `/${name}?&&`, tags: [EVERYTHING, name], createdAt: now });

it('serves nothing that was stamped before it forgot the stamp', () => {
  const level = new HeldEntries({ maxSize: 10, maxBytes: 2 ** 20 });
  const [stamped, recent] = [entryOf('stamped'), entryOf('recent')];
  level.stamp(stamped.tags.slice(1), sequence(1));
  let number = 1;
  // Far more tags than the level remembers, in commits of a thousand.
  for (let commit = 0; commit < 400; commit += 1) {
    number += 1;
    level.stamp(
      Array.from({ length: 1000 }, (_, index) => tag(`other:${commit}:${index}`)),
      sequence(number),
    );
  }
  // This entry was validated before its tag was stamped, and arrives only now.
  level.put(stamped, sequence(0));
  level.put(recent, sequence(number));
  expect(level.get(stamped.key, now)).toBeUndefined();
  expect(level.get(recent.key, now)).toBe(recent);
  level.stamp(recent.tags.slice(1), sequence(number + 1));
  expect(level.get(recent.key, now)).toBeUndefined();
});
