import type { Fault } from '../lib/contract/fault.ts';

/** A line a fault: where, its code, and what would be right. */
export function linesOf(faults: readonly Fault[]): string {
  return faults.map(({ pointer, code, detail }) => `${pointer || '/'}  ${code}  ${detail}\n`).join('');
}
