import { join } from 'node:path';
import { installed, run } from './emulator.ts';

/** A program, and the folder of its installation, where it may write. */
interface PythonProgram {
  readonly folder: string;
  readonly program: string;
}

/**
 * A program of a Python package, installed where it is not there yet.
 * @param requirement the package with its exact version, as pip takes it
 * @throws where there is no Python 3 with pip, or the package cannot be had
 */
export function pythonProgram(requirement: string, name: string): PythonProgram {
  const folder = installed(requirement.replaceAll(/[^a-z0-9.]+/g, '-'), (empty) => {
    run('python3', ['-m', 'venv', empty]);
    run(join(empty, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', requirement]);
  });
  return { folder, program: join(folder, 'bin', name) };
}
