import { join } from 'node:path';
import { type Emulator, installed, run, start } from './emulator.ts';

/** The emulator of most of AWS. */
const MOTO = 'moto[server]==5.2.5';

/**
 * Starts moto, installed where it is not there yet.
 * @throws where there is no Python 3 with pip, or moto cannot be had
 */
export function startMoto(): Promise<Emulator> {
  const folder = installed(MOTO.replaceAll(/[^a-z0-9.]+/g, '-'), (empty) => {
    run('python3', ['-m', 'venv', empty]);
    run(join(empty, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', MOTO]);
  });
  const program = join(folder, 'bin', 'moto_server');
  return start(folder, program, ['-H', '127.0.0.1', '-p', '0'], /Running on http:\/\/127\.0\.0\.1:(\d+)/);
}
