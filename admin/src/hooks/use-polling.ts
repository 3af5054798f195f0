import { useEffect } from 'react';

/** Milliseconds; nothing of ours asks more often. */
const POLLING_INTERVAL = 5000;

/**
 * Asks again and again for as long as the tab can be seen. The query library's own polling goes on when its interval is
 * set to 0 later (RTK Query 1.9.7, seen in a browser).
 *
 * @param hasAnswer whether it was answered once: a first question is under way until then.
 */
export const usePolling = (refetch: () => unknown, hasAnswer: boolean): void =>
  useEffect(() => {
    if (!hasAnswer) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && refetch(), POLLING_INTERVAL);
    return () => clearInterval(timer);
  }, [hasAnswer, refetch]);
