import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const run = promisify(execFile);

const ROUNDS = { rounds: 15, warmUp: 2 };
const SEGUE = join(import.meta.dirname, '../bin/segue.mjs');

/** Commands that only print, and how much longer than `node -e 0` each may take, in milliseconds. */
const COMMANDS = [
  { args: ['--version'], addsAtMost: 150 },
  { args: ['projects', '--help'], addsAtMost: 250 },
] as const;

/** Measures commands of `segue` from the start of the process to its end, beside a program that does nothing. */
export async function cli(): Promise<Row[]> {
  const env = { PATH: ownPath(), HOME: process.env['HOME'] };
  const rows: Row[] = [];
  for (const node of await nodes(env)) {
    const { stdout: version } = await run(node, ['--version'], { env });
    const start = (args: readonly string[]) => async () => (await timed(() => run(node, args, { env }))).ms;
    const floor = start(['-e', '0']);
    const commands = COMMANDS.map((command) => ({ ...command, start: start([SEGUE, ...command.args]) }));
    const medianOf = await interleave([floor, ...commands.map((command) => command.start)], ROUNDS);
    for (const { args, addsAtMost, start } of commands)
      rows.push({
        what: `segue ${args.join(' ')}, by Node ${/\d+/.exec(version)?.[0]}`,
        unit: 'ms',
        floor: medianOf(floor),
        segue: medianOf(start),
        target: { addsAtMost },
      });
  }
  return rows;
}

/** Returns `PATH` without the folders that npm adds. */
function ownPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !/node_modules|node-gyp-bin/.test(folder)).join(delimiter);
}

/** Returns Node 24, and the Node of this machine's user if it is another one, which starts Node 24. */
async function nodes(env: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await run('node', ['-p', 'process.execPath'], { env }).catch(() => undefined);
  return [...new Set([process.execPath, ...(found ? [found.stdout.trim()] : [])])];
}
