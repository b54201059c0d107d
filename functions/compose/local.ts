import { lazy } from '../../lib/contract/lazy.ts';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { openMachine } from './machine.ts';
import { machineSettings } from './settings.ts';

const settings = lazy(() => machineSettings());

/** The platform on one machine: SQLite and all keys in a folder. */
export const storage = lazy(() => new SqliteStorage(openDatabase(settings().dataDir), Date.now));
export const ledger = storage;
export const deliveries = storage;

const { signingKeys, ...machine } = openMachine(settings, storage);
export const { sandbox, keys, companyRate, authentication, requireCompany } = machine;
export const { sources, sourceSecrets, upstreamSecret, readObject } = machine;

/** Events of projects are not recorded: there is no event bus. */
export const newEventId = undefined;

/** Opens everything now, so that a fault ends the start and not the first request. */
export function openPlatform(): void {
  storage();
  signingKeys();
  keys();
}

export function closePlatform(): void {
  storage().close();
}
