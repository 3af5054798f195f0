import { useEffect } from 'react';

/** Milliseconds. No view of the plugin polls more often. */
const POLLING_INTERVAL = 5000;

/**
 * Calls `refetch` repeatedly while the tab is visible. The query library's own polling does not stop when its interval
 * is set to 0 later (RTK Query 1.9.7, seen in a browser).
 *
 * @param hasAnswer whether there has been an answer; until then the first request is still under way, and there is no
 *   polling.
 */
export const usePolling = (refetch: () => unknown, hasAnswer: boolean): void =>
  useEffect(() => {
    if (!hasAnswer) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && refetch(), POLLING_INTERVAL);
    return () => clearInterval(timer);
  }, [hasAnswer, refetch]);
