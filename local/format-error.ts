import { WrongSetting } from '../lib/contract/settings.ts';
import { SecretFileError } from '../lib/credentials/secret-files.ts';
import { failureFields } from '../lib/service/log.ts';
import { StoreNotOpened } from '../lib/storage/sqlite/database.ts';

/** The errors whose messages are for the person who starts Segue. */
const FOR_PEOPLE = [SecretFileError, WrongSetting, StoreNotOpened];

/** Why a port cannot be used, by the error code of the operating system. */
const PORT_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another process',
  EACCES: 'may not be used by this user',
};

/**
 * Formats a startup error as one line. An unexpected error is shown by its name and code only, because its message may
 * hold secrets.
 */
export function formatError(error: unknown): string {
  if (FOR_PEOPLE.some((type) => error instanceof type) && error instanceof Error)
    return error.message.replace(/\s+/g, ' ');
  const { problem = 'Error', cause } = failureFields(error);
  const port = error instanceof Error && 'port' in error ? Number(error.port) : undefined;
  const reason = port !== undefined && cause?.code ? PORT_ERRORS[cause.code] : undefined;
  if (reason) return `port ${port} ${reason}: set PORT to another port, such as PORT=8788, or PORT=0 for any free port`;
  return `Segue could not start: ${[cause?.name ?? problem, cause?.code].filter(Boolean).join(' ')}`;
}
