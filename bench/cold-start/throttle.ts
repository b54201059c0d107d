import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Holds processes to a share of one CPU. */
export interface Throttle extends Disposable {
  /** Takes in a process that runs, with all its threads. */
  hold(pid: number): void;
}

/** Short, so that a share is a slow CPU and not a CPU with long pauses. */
const PERIOD_US = 20_000;

/** Where control groups of processors are, and the files that limit one; the second version's first. */
const HIERARCHIES = [
  { root: '/sys/fs/cgroup', limits: (quotaUs: number) => [['cpu.max', `${quotaUs} ${PERIOD_US}`]] },
  {
    root: '/sys/fs/cgroup/cpu',
    limits: (quotaUs: number) => [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(quotaUs)],
    ],
  },
] as const;

/**
 * @param share of one CPU
 * @returns `undefined` where this user cannot make a control group
 */
export function openThrottle(share: number): Throttle | undefined {
  for (const { root, limits } of HIERARCHIES) {
    const group = join(root, `segue-bench-${process.pid}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    try {
      for (const [file = '', value = ''] of limits(Math.round(share * PERIOD_US))) change(join(group, file), value);
    } catch {
      rmdirSync(group);
      continue;
    }
    return {
      hold: (pid) => change(join(group, 'cgroup.procs'), String(pid)),
      [Symbol.dispose]: () => rmdirSync(group),
    };
  }
  return undefined;
}

/** Never makes a file: one that is not there belongs to the other version. */
function change(file: string, value: string): void {
  writeFileSync(file, value, { flag: 'r+' });
}
