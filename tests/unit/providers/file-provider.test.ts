import { readFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileProvider } from '../../../docs/examples/file-provider';
import { describeProvider } from '../../../provider-suite';

describeProvider({
  name: 'the file-backed example of the documentation',
  create: ({ clock }) => new FileProvider(mkdtempSync(join(tmpdir(), 'rest-cache-files-')), () => clock.now()),
  describe,
  it,
});

describe('docs/custom-providers.md', () => {
  it('shows the example as it is tested', () => {
    const at = (path: string): string => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
    expect(at('custom-providers.md')).toContain(at('examples/file-provider.ts').trim());
  });
});
