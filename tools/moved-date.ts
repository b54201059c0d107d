import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const OFFSET = /^[+-]\d{1,6}[smhdy]$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const HALF_DAY_MS = 43_200_000;

/**
 * Reads how far to move the date, and returns it in the form of libfaketime. For a day, the result is the offset in
 * seconds to noon of that day in UTC. With the day itself, the day would begin again in each new process.
 * @param text an offset such as `+400d`, or a day such as `2028-02-29`
 * @returns `undefined` if the text is neither
 */
export function offsetOf(text: string, nowMs: number): string | undefined {
  if (OFFSET.test(text)) return text;
  const dayMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // JavaScript reads a day that does not exist, such as 2027-02-29, as a day of the next month.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(text)) return undefined;
  const seconds = Math.round((dayMs + HALF_DAY_MS - nowMs) / 1_000);
  return `${seconds < 0 ? '' : '+'}${seconds}s`;
}

/**
 * Returns the environment variables that move the date of a process and of its child processes. Timers keep their pace.
 */
export function movedBy(offset: string, library: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/**
 * Finds libfaketime, and installs it if this process is root on Debian or Ubuntu.
 * @returns the library's path, or `undefined` if it is missing
 */
export function libfaketime(): string | undefined {
  const found = installed();
  if (found !== undefined || process.getuid?.() !== 0) return found;
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'libfaketime']]) {
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return installed();
}

function installed(): string | undefined {
  return globSync(['/usr/lib/*/faketime/libfaketime.so.1', '/usr/lib/faketime/libfaketime.so.1'])[0];
}
