import { pythonProgram } from '../../tools/emulators/python.ts';

/** Returns the generator of Python clients, which `npm run test:interop` installs, with what its clients need. */
export function pythonClientGenerator(): { readonly folder: string; readonly program: string } {
  return pythonProgram('openapi-python-client==0.29.1', 'openapi-python-client');
}
