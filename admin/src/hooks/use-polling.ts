import { usePageVisible } from './use-page-visible';

/** Milliseconds; nothing of ours asks more often. */
const POLLING_INTERVAL = 5000;

/** Query options that keep a view live while it can be seen. */
export const usePolling = (): { pollingInterval: number; refetchOnMountOrArgChange: true } => ({
  // 0 turns polling off (RTK Query).
  pollingInterval: usePageVisible() ? POLLING_INTERVAL : 0,
  refetchOnMountOrArgChange: true,
});
