import { join } from 'node:path';
import { installed, run } from './emulator.ts';

/** An installed Python program. */
interface PythonProgram {
  readonly folder: string;
  readonly program: string;
}

/**
 * Returns a program of a Python package. If the package is not installed, it is installed first.
 * @param requirement the package with its exact version, in pip's form
 * @throws an error if Python 3 or pip is missing, or the download fails
 */
export function pythonProgram(requirement: string, name: string): PythonProgram {
  const folder = installed(requirement.replaceAll(/[^a-z0-9.]+/g, '-'), (empty) => {
    run('python3', ['-m', 'venv', empty]);
    run(join(empty, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', requirement]);
  });
  return { folder, program: join(folder, 'bin', name) };
}
