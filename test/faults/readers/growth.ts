/** The sizes that work is done in, in characters. Each is four times the one before. */
const SIZES = [256, 1_024, 4_096, 16_384, 65_536, 262_144];
const STEP = 4;
/** Work that takes less CPU is too short to be compared, in microseconds. */
const MIN_CPU_US = 40_000;
/** How many times longer work of four times the size may take. It is four for linear work, and 16 for quadratic work. */
const MAX_RATIO = 10;
/** From this ratio on, work is repeated. The first time, it may take longer in a small size because it is compiled. */
const SUSPICIOUS_RATIO = 6;
/** How often work is repeated before it counts as slow, because a machine may be busy. */
const REPETITIONS = 5;

/** Work whose time grows faster than its size. */
export interface Growth {
  readonly size: number;
  /** The CPU that the work took in this size, and in a quarter of it, in milliseconds. */
  readonly ms: number;
  readonly quarterMs: number;
}

/**
 * Does work in growing sizes. It stops at the first size that takes too long, so that quadratic work takes less than a
 * second.
 * @param prepare returns the work in a size
 * @returns the growth if it is more than linear
 */
export function growthOf(prepare: (size: number) => () => void, maxSize: number): Growth | undefined {
  let quarter = Number.POSITIVE_INFINITY;
  for (const size of SIZES) {
    if (size > maxSize) return undefined;
    const cpu = cpuOf(prepare(size));
    if (cpu >= MIN_CPU_US && cpu >= quarter * SUSPICIOUS_RATIO) {
      const ms = least(prepare(size)) / 1_000;
      const quarterMs = least(prepare(size / STEP)) / 1_000;
      if (ms * 1_000 >= MIN_CPU_US && ms >= quarterMs * MAX_RATIO) return { size, ms, quarterMs };
    }
    quarter = cpu;
  }
  return undefined;
}

function least(work: () => void): number {
  return Math.min(...Array.from({ length: REPETITIONS }, () => cpuOf(work)));
}

/** Returns the CPU time of this thread that work takes, in microseconds. Other processes do not count. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
