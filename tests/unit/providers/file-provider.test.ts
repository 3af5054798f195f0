import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { FileProvider } from '../../../docs/examples/file-provider';
import { describeProvider, sampleEntry } from '../../../provider-suite';

const folder = (): string => mkdtempSync(join(tmpdir(), 'rest-cache-files-'));

describeProvider({
  name: 'the file-backed example of the documentation',
  create: ({ clock }) => new FileProvider(folder(), () => clock.now()),
  describe,
  it,
});

it('does not serve what was stored before the clock was put back', async () => {
  let now = milliseconds(1_000_000);
  const provider = new FileProvider(folder(), () => now);
  const entry = sampleEntry(provider.knownSequence(), { now: () => now });
  await provider.store(entry);
  now = milliseconds(now - 50_000);
  expect(await provider.lookup(entry.key)).toHaveProperty('entry');
  now = milliseconds(now - 20_000);
  expect(await provider.lookup(entry.key)).not.toHaveProperty('entry');
});

it('ends no process where its folder cannot be made: nothing is stored', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  const provider = new FileProvider(join(file, 'folder'));
  await delay(50);
  const entry = sampleEntry(provider.knownSequence(), systemClock);
  await expect(provider.store(entry)).rejects.toThrow();
  expect(await provider.lookup(entry.key)).toEqual({ sequence: 0 });
  await expect(provider.close()).rejects.toThrow();
});
