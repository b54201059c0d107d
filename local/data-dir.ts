import { accessSync, constants, mkdirSync } from 'node:fs';
import { SettingsError } from './settings.ts';

/**
 * Makes the data folder where it is missing.
 * @throws {SettingsError} where it cannot be made, read or written
 */
export function prepareDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new SettingsError(`SEGUE_DATA_DIR must be a folder that can be read and written: ${path}${reason}`, {
      cause,
    });
  }
}
