import { randomUUID } from 'node:crypto';

/**
 * AWS: a DynamoDB table and a bucket, secrets in Secrets Manager. Clients are made while the function starts. Each part
 * is a file of its own, so that a bundle holds only those that it uses.
 */
export { requireCompany } from './aws-companies.ts';
export { authentication, keys } from './aws-credentials.ts';
export { deliveries } from './aws-deliveries.ts';
export { events } from './aws-events.ts';
export { ledger } from './aws-ledger.ts';
export { readObject } from './aws-objects.ts';
export { signingSecret } from './aws-signing-secret.ts';
export { sourceSecrets } from './aws-source-secrets.ts';
export { sources } from './aws-sources.ts';
export { storage } from './aws-store.ts';
export { sweep } from './aws-sweep.ts';
export { upstreamSecret } from './aws-upstream-secret.ts';

/** What is done to projects is recorded, for the event bus. */
export const newEventId = randomUUID;
