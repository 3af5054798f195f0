import { vi } from 'vitest';

/** Does `work` as if this many milliseconds had passed, for the application too: it runs in the same process. */
export const later = async <T>(milliseconds: number, work: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
};
