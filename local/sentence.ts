import { SigningKeysUnusable } from '../lib/credentials/signing-keys-file.ts';
import { failureFields } from '../lib/service/log.ts';
import { StoreNotOpened } from '../lib/storage/sqlite/database.ts';
import { SettingsError } from './environment.ts';

/** Errors whose messages are written for the person who starts Segue. */
const TOLD = [SettingsError, SigningKeysUnusable, StoreNotOpened];

/** What a port that cannot be had is told as, by the system's code. */
const PORTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use: set PORT to another one, or to 0',
  EACCES: 'the port may not be used: set PORT',
};

/** Why Segue could not start, in one line. Of an error that nobody expected only name and code: its message may quote anything. */
export function sentence(error: unknown): string {
  if (TOLD.some((type) => error instanceof type) && error instanceof Error) return error.message.replace(/\s+/g, ' ');
  const { problem = 'Error', cause } = failureFields(error);
  const told = cause?.code && error instanceof Error && 'port' in error ? PORTS[cause.code] : undefined;
  return told ?? `Segue could not start: ${[cause?.name ?? problem, cause?.code].filter(Boolean).join(' ')}`;
}
