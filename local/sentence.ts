import { SecretFileError } from '../lib/credentials/secret-files.ts';
import { failureFields } from '../lib/service/log.ts';
import { StoreNotOpened } from '../lib/storage/sqlite/database.ts';
import { SettingsError } from './environment.ts';

/** Errors whose messages are written for the person who starts Segue. */
const TOLD = [SecretFileError, SettingsError, StoreNotOpened];

/** Why a port cannot be used, by the system's code. */
const PORTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'may not be used by this user',
};

/** Why Segue could not start, in one line. Of an error that nobody expected only name and code: its message may quote anything. */
export function sentence(error: unknown): string {
  if (TOLD.some((type) => error instanceof type) && error instanceof Error) return error.message.replace(/\s+/g, ' ');
  const { problem = 'Error', cause } = failureFields(error);
  const port = error instanceof Error && 'port' in error ? Number(error.port) : undefined;
  const reason = port !== undefined && cause?.code ? PORTS[cause.code] : undefined;
  if (reason) return `port ${port} ${reason}: set PORT to another port, such as PORT=8788, or PORT=0 for any free port`;
  return `Segue could not start: ${[cause?.name ?? problem, cause?.code].filter(Boolean).join(' ')}`;
}
