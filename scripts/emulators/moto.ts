import { type Emulator, start } from './emulator.ts';
import { pythonProgram } from './python.ts';

/** An emulator of most AWS services. */
const MOTO = 'moto[server]==5.2.5';

/**
 * Starts moto, and installs it first if necessary.
 * @param ownPort the port at which moto calls itself, such as that of a proxy in front of it
 * @throws without Python 3 and pip, or if the download fails
 */
export function startMoto(ownPort?: number): Promise<Emulator> {
  const { folder, program } = pythonProgram(MOTO, 'moto_server');
  return start(folder, program, ['-H', '127.0.0.1', '-p', '0'], /Running on http:\/\/127\.0\.0\.1:(\d+)/, {
    ...(ownPort !== undefined && { MOTO_PORT: String(ownPort) }),
  });
}
