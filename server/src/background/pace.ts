import { setTimeout as pause } from 'node:timers/promises';

/** The lag of the event loop beyond which work in the background waits, in milliseconds. */
const MAX_LAG = 20;

/** The shortest pause, and how long a busy event loop is left alone. Milliseconds. */
const SHORTEST = 2;
const BUSY = 25;

/** Rests for as long as the work before took, in milliseconds, and longer while the event loop is behind. */
export const rest = async (worked: number): Promise<void> => {
  let duration = Math.max(SHORTEST, worked);
  let lag: number;
  do {
    const until = performance.now() + duration;
    await pause(duration, undefined, { ref: false });
    lag = performance.now() - until;
    duration = BUSY;
  } while (lag > MAX_LAG);
};
