import { describe, it } from 'vitest';
import { describeProvider } from '../../../provider-suite';
import { MemoryProvider } from '../../../server/src/providers/memory';

describeProvider({
  name: 'memory',
  create: ({ clock, events }) => new MemoryProvider({ clock, events }),
  describe,
  it,
});
