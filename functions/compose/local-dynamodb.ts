import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { storage } from './aws-store.ts';
import { credentialsOn } from './local-credentials.ts';

export { ledger } from './aws-ledger.ts';
export { storage } from './aws-store.ts';
/** Nobody listens to what is done to projects. */
export const newEventId = undefined;

/** What webhooks brought is in the same table. */
export const deliveries = storage;
export { sources } from './aws-sources.ts';
export { readObject } from './local-objects.ts';
export { sandbox } from './local-sandbox.ts';
export { sourceSecrets } from './local-source-secrets.ts';
export { upstreamSecret } from './local-upstream-secret.ts';

/** One machine in front of a store on AWS, or of emulators of it: a table and a bucket that are there. */
const { signingKeys, ...credentials } = credentialsOn(storage);
export const { keys, authentication, companyRate } = credentials;
/** The companies in the same store. */
export const requireCompany = requireActiveCompany(storage);

/** Asks the table for something, so that what is wrong is said at the start and not at the first request. */
export async function openPlatform(): Promise<void> {
  signingKeys();
  keys();
  await storage().read({ partition: 'companies', sort: 'company/none' });
}

export function closePlatform(): void {}
