import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const OFFSET = /^[+-]\d{1,6}[smhdy]$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const HALF_DAY_MS = 43_200_000;

/**
 * Reads how far the date moves, as libfaketime takes it. A day becomes an offset in seconds to its noon in UTC: each
 * process would otherwise begin that day anew when it starts.
 * @param text `+400d`, or a day such as `2028-02-29`
 * @returns `undefined` if it is neither
 */
export function offsetOf(text: string, nowMs: number): string | undefined {
  if (OFFSET.test(text)) return text;
  const dayMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // JavaScript takes 2027-02-29 for the first of March.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(text)) return undefined;
  const seconds = Math.round((dayMs + HALF_DAY_MS - nowMs) / 1_000);
  return `${seconds < 0 ? '' : '+'}${seconds}s`;
}

/** The variables that move the date of a process and of those that it starts; timers keep their pace. */
export function movedBy(offset: string, library: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** Finds libfaketime, and installs it if this process is root on Debian. @returns its path, or `undefined` without it */
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
