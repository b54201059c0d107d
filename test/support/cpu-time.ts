import { readFileSync } from 'node:fs';

/** The unit in which Linux reports processor time, whatever the rate of its kernel. */
const TICKS_A_SECOND = 100;

/** Returns the processor time that a process has used, in milliseconds. It needs Linux. */
export function cpuMsOf({ pid }: { readonly pid?: number | undefined }): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may contain spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return ((Number(user) + Number(system)) * 1_000) / TICKS_A_SECOND;
}
