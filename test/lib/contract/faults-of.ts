import { checkProject } from '../../../lib/contract/check.ts';
import type { Fault } from '../../../lib/contract/faults.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { CLOCK } from '../support.ts';

/** What `checkProject` says of a value: the problem's name and all its faults; `undefined` where it is right. */
export function verdict(value: unknown): { name: string; faults: readonly Fault[] } | undefined {
  try {
    checkProject(value, CLOCK);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { name: error.name, faults: error.occurrence.errors ?? [] };
  }
}

/** The faults of a value as `pointer code`, in their order. */
export function faultsIn(value: unknown): string[] {
  return (verdict(value)?.faults ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
}
