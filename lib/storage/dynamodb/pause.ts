import { setTimeout } from 'node:timers/promises';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Waits before the next attempt: twice as long each time, and by chance, so that rivals do not meet again. */
export async function pause(attempt: number, random: () => number = Math.random): Promise<void> {
  await setTimeout(random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
}
