import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { CliContext } from './deployment.ts';
import { CliError } from './io.ts';

/** The options of Node and of its allocator that keep the memory of the service small, as in the script `start`. */
export const START = {
  node: [
    '--disable-warning=ExperimentalWarning',
    '--max-old-space-size=256',
    '--initial-old-space-size=128',
    '--max-semi-space-size=16',
  ],
  env: { MALLOC_TRIM_THRESHOLD_: '16777216', MALLOC_MMAP_THRESHOLD_: '16777216' },
} as const;

const PROGRAM = new URL(`../../local/start${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Adds the command `segue start`, which runs the service of this machine in a process of its own. */
export function addStartCommand(segue: Command, { env, onStop }: CliContext): void {
  segue
    .command('start')
    .argument('[options...]', 'the options of npm start, such as --upstream <base url>')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (options: string[]) => {
      const service = spawn(process.execPath, [...START.node, fileURLToPath(PROGRAM), ...options], {
        stdio: 'inherit',
        env: { ...env, ...START.env },
      });
      using _ = onStop?.(() => void service.kill('SIGTERM'));
      const [code] = await once(service, 'close');
      if (code !== 0) throw new CliError('the service ended with an error');
    });
}
