import { expect } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { ResponseCache } from '../../server/src/cache/response-cache';
import { MemoryProvider } from '../../server/src/providers/memory';
import type { ManualClock } from './manual-clock';

/** A cache in memory, whose store never fails. */
export const cacheOn = (clock: ManualClock): ResponseCache =>
  new ResponseCache({
    provider: new MemoryProvider({ clock }),
    clock,
    getTimeout: milliseconds(1000),
    onStoreError: (error) => expect.unreachable(String(error)),
  });
