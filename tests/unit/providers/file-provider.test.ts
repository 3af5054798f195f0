import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
