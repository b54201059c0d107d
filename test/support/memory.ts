import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const KB = 1_024;

/**
 * Returns the largest memory that a process has used, in bytes. Systems other than Linux report only the present use.
 */
export function peakBytes(pid = 0): number {
  const status = `/proc/${pid}/status`;
  const kilobytes = existsSync(status)
    ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) * KB;
}
