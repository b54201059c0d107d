import { randomUUIDv7 } from 'node:crypto';
import { lazy } from '../../lib/contract/lazy.ts';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { reserveIn } from '../../lib/storage/sqlite/reserve.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { machineSettings } from './environment.ts';
import { openMachine } from './machine.ts';

const settings = lazy(() => machineSettings());

/** The storage of the platform on one machine: a SQLite database in the data folder. */
export const storage = lazy(() => {
  const { dataDir } = settings();
  return new SqliteStorage(openDatabase(dataDir), Date.now, { reserve: reserveIn(dataDir) });
});
export const ledger = storage;
export const deliveries = storage;
export const credentials = storage;
export const sendsEvents = () => true;
export const sendsResults = () => true;

const { signingKeys, ...machine } = openMachine(settings, storage);
export const { sandbox, keys, companyRate, authentication, requireCompany } = machine;
export const {
  sources,
  sourceSecrets,
  fetchSecrets,
  destinationSecrets,
  eventSecrets,
  eventSecretStore,
  upstreamSecret,
  translationSecret,
  readObject,
} = machine;
export const { openContentReader, openMailTransport } = machine;

/** The translation engine of this platform, if no other is set. It needs no network, and has no cost. */
export const DEFAULT_TRANSLATION_ENGINE = 'pseudo';

/** Makes the id of an event. It begins with the time, so that SQLite changes fewer pages. */
export const newEventId = randomUUIDv7;

/** Opens the database and the keys, so that a wrong setting stops the start, not the first request. */
export function openPlatform(): void {
  storage();
  signingKeys();
  keys();
}

export function closePlatform(): void {
  storage().close();
}
