import { type Emulator, start } from './emulator.ts';
import { pythonProgram } from './python.ts';

/** The emulator of most of AWS. */
const MOTO = 'moto[server]==5.2.5';

/**
 * Starts moto, installed where it is not there yet.
 * @param ownPort where it reaches itself, and so whatever stands there before it; it does not say so by itself
 * @throws where there is no Python 3 with pip, or moto cannot be had
 */
export function startMoto(ownPort?: number): Promise<Emulator> {
  const { folder, program } = pythonProgram(MOTO, 'moto_server');
  return start(folder, program, ['-H', '127.0.0.1', '-p', '0'], /Running on http:\/\/127\.0\.0\.1:(\d+)/, {
    ...(ownPort !== undefined && { MOTO_PORT: String(ownPort) }),
  });
}
