import { type Emulator, start } from './emulator.ts';
import { pythonProgram } from './python.ts';

/** The version of moto, an emulator of most AWS services. */
const MOTO = 'moto[server]==5.2.5';

/**
 * Starts moto. If it is not installed, it is installed first.
 * @param ownPort the port in the URLs at which moto calls itself, such as the port of a proxy in front of moto
 * @throws an error if Python 3 or pip is missing, or the download fails
 */
export function startMoto(ownPort?: number): Promise<Emulator> {
  const { folder, program } = pythonProgram(MOTO, 'moto_server');
  return start(folder, program, ['-H', '127.0.0.1', '-p', '0'], /Running on http:\/\/127\.0\.0\.1:(\d+)/, {
    ...(ownPort !== undefined && { MOTO_PORT: String(ownPort) }),
  });
}
