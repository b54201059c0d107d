import { randomUUID } from 'node:crypto';
import { lazy } from '../../lib/contract/lazy.ts';
import { storage } from './aws-tables.ts';
import { machineSettings } from './environment.ts';
import { openMachine } from './machine.ts';

/** The platform on one machine, with a table and a bucket in AWS or in emulators of AWS. */
export { ledger, storage } from './aws-tables.ts';
export const deliveries = storage;
export const credentials = storage;
export const sendsEvents = () => true;
export const sendsResults = () => true;

const { signingKeys, ...machine } = openMachine(lazy(machineSettings), storage);
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

export const newEventId = randomUUID;

/**
 * Opens the signing keys and the API keys, and reads from the table, so that Segue reports a wrong setting at the start
 * and not at the first request.
 */
export async function openPlatform(): Promise<void> {
  signingKeys();
  keys();
  await storage().read({ partition: 'companies', sort: 'company/none' });
}

export function closePlatform(): void {}
