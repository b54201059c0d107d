import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process and its files at a moment, in bytes. */
export interface Sample {
  /** The memory of the process. */
  readonly memory: number;
  /** All files of the folder, the write-ahead log too. */
  readonly files: number;
}

/** Looks at a process and at the folder that it keeps its files in. */
export async function sampleOf(pid: number, folder: string): Promise<Sample> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', `${pid}`]);
  return { memory: Number(stdout) * 1_024, files: bytesIn(folder) };
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

export function thirds<T>(
  list: readonly T[],
): readonly [first: readonly T[], second: readonly T[], last: readonly T[]] {
  const [one, two] = [Math.floor(list.length / 3), Math.floor((list.length * 2) / 3)];
  return [list.slice(0, one), list.slice(one, two), list.slice(two)];
}
