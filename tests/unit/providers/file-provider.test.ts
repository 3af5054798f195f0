import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { FileProvider } from '../../../docs/examples/file-provider';
import { describeProvider } from '../../../provider-suite';

describeProvider({
  name: 'the file-backed example of the documentation',
  create: ({ clock }) => new FileProvider(mkdtempSync(join(tmpdir(), 'rest-cache-files-')), () => clock.now()),
  describe,
  it,
});
