import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A limit on the CPU time of processes, as a share of one CPU. */
export interface Throttle extends Disposable {
  /** Applies the limit to a running process and all its threads. */
  hold(pid: number): void;
}

/**
 * The period of the limit, in microseconds. With a short period, the process runs slowly instead of pausing for long.
 */
const PERIOD_US = 20_000;

/** The root folders of CPU control groups, with the files that set a limit. The folder of cgroup v2 comes first. */
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
 * Creates a limit on the CPU time of processes.
 * @param share the share of one CPU, from 0 to 1
 * @returns `undefined` if this user cannot create a control group
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

/**
 * Writes a value to an existing file. If the file does not exist, the hierarchy belongs to the other cgroup version.
 */
function change(file: string, value: string): void {
  writeFileSync(file, value, { flag: 'r+' });
}
