import { join } from 'node:path';
import { installed, run } from './emulator.ts';

/** A program, and the folder of its installation. */
interface PythonProgram {
  readonly folder: string;
  readonly program: string;
}

/**
 * Returns a program of a Python package, and installs the package first if necessary.
 * @param requirement the package with its exact version, in pip's form
 * @throws without Python 3 and pip, or if the download fails
 */
export function pythonProgram(requirement: string, name: string): PythonProgram {
  const folder = installed(requirement.replaceAll(/[^a-z0-9.]+/g, '-'), (empty) => {
    run('python3', ['-m', 'venv', empty]);
    run(join(empty, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', requirement]);
  });
  return { folder, program: join(folder, 'bin', name) };
}
