import { setTimeout as pause } from 'node:timers/promises';

/** The lag of the event loop beyond which work in the background waits, in milliseconds. */
const MAX_LAG = 20;

/** The shortest pause, and how long a busy event loop is left alone. Milliseconds. */
const SHORTEST = 2;
const BUSY = 25;

const sleep = async (duration: number): Promise<number> => {
  const began = performance.now();
  await pause(duration, undefined, { ref: false });
  return performance.now() - began - duration;
};

/** Rests for as long as the work before took, and longer while the event loop is behind. */
export const rest = async (worked: number): Promise<void> => {
  let lag = await sleep(Math.max(SHORTEST, worked));
  while (lag > MAX_LAG) lag = await sleep(BUSY);
};
