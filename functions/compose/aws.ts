import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { lazy } from '../../lib/contract/lazy.ts';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { cachedSecret, type ReadSecret } from '../../lib/credentials/cached-secret.ts';
import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { eventSecretsReader } from '../../lib/credentials/event-secrets.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { liveSecretsIn } from '../../lib/credentials/live-secrets.ts';
import { storedRate } from '../../lib/credentials/rate-limit.ts';
import type { SecretStore } from '../../lib/credentials/secret-store.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import type { ContentReader } from '../../lib/hosted/translation/content-reader.ts';
import { logStaleSecret } from '../../lib/service/log.ts';
import type { SendMail } from '../../lib/service/mail.ts';
import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { rememberUnknown } from '../../lib/webhooks/unknown-sources.ts';
import type { ReadObject } from '../../lib/workflow/project-reference.ts';
import { credentials, items } from './aws-tables.ts';
import { companyRateLimit, required } from './environment.ts';

export { credentials, deliveries, items, ledger, storage } from './aws-tables.ts';

// The platform on AWS. Every export is a function or marked pure, so that bundles leave out unused ones.
// No import here loads the AWS SDK at a cold start. Functions that need the SDK import `aws-s3.ts` or a client in `lib/aws`.

const readSecret = /* @__PURE__ */ lazy(() => secretsManagerReader({ now: Date.now }));

/** Creates the function that reads a secret from Secrets Manager. */
function secretNamed(name: string): ReadSecret {
  const read = readSecret();
  return () => read(name);
}

/** Opens the live secrets in Secrets Manager whose names begin with a prefix. */
function secretsUnder(prefix: string) {
  const read = readSecret();
  return liveSecretsIn({ read: (name) => read(prefix + name) }, Date.now);
}

/** Returns whether a function may open deliveries of events: a stack that sends none gives it no table for them. */
export function sendsEvents(): boolean {
  return Boolean(process.env['SEGUE_DELIVERIES_TABLE']);
}

/** Returns whether a function may open deliveries to destinations: only a stack with the option has them sent. */
export function sendsResults(): boolean {
  return process.env['SEGUE_DESTINATIONS'] === 'on';
}

/** The API keys of all companies. */
export const keys = /* @__PURE__ */ lazy(() => storedKeys(credentials()));

/**
 * Opens the dependencies of authentication: API keys and token families in their table, signing keys in Secrets Manager.
 */
export function authentication(): AuthDeps {
  const rate = companyRateLimit();
  const signingSecret = cachedSecret(secretNamed(required('SEGUE_SIGNING_SECRET')), parseSigningKeys, {
    now: Date.now,
    onStale: logStaleSecret('staleSigningKeys'),
  });
  return {
    keys: keys(),
    store: credentials(),
    signingKeys: cachedSigningKeys(signingSecret),
    now: Date.now,
    newId: randomUUID,
    rate: rate && storedRate(credentials(), rate, Date.now, { sleep: setTimeout, random: Math.random }),
  };
}

/** Checks that a company exists and is active. Throws a `Problem` if not. */
export const requireCompany = /* @__PURE__ */ requireActiveCompany(credentials);

/** Creates the function that reads the credentials for the upstream service from Secrets Manager. */
export function upstreamSecret(): ReadSecret {
  return secretNamed(required('SEGUE_UPSTREAM_SECRET'));
}

/** Creates the function that reads the key of the canary from Secrets Manager. */
export function canarySecret(): ReadSecret {
  return secretNamed(required('SEGUE_CANARY_SECRET'));
}

/** The translation engine of this platform, if no other is set. */
export const DEFAULT_TRANSLATION_ENGINE = 'amazon';

/**
 * Creates the function that reads the API key of the translation engine from Secrets Manager. Returns `undefined` if no
 * secret is set.
 */
export function translationSecret(): ReadSecret | undefined {
  const name = process.env['SEGUE_TRANSLATION_SECRET'];
  return name ? secretNamed(name) : undefined;
}

/** Opens the reader of contents that are translated. A function does one thing at a time, so it needs no other thread. */
export async function openContentReader(): Promise<ContentReader> {
  return (await import('../../lib/hosted/translation/content-reader.ts')).contentReader();
}

/** Opens the function that sends e-mails with Amazon SES. Only then is the client of SES loaded. */
export async function openMailTransport(from: string): Promise<SendMail> {
  const { sesClient, sesMail } = await import('../../lib/aws/ses-mail.ts');
  return sesMail(sesClient(), from);
}

/** The webhook sources in the table. `find` remembers unknown names for some seconds. */
export const sources = /* @__PURE__ */ lazy(() => {
  const stored = sourcesIn(items());
  return { ...stored, ...rememberUnknown(stored, Date.now) };
});

/** The secrets of webhook sources in Secrets Manager. Their names begin with the value of `SEGUE_WEBHOOK_SECRETS`. */
export const sourceSecrets = /* @__PURE__ */ lazy(() => secretsUnder(required('SEGUE_WEBHOOK_SECRETS')));

/** The secrets of fetches in Secrets Manager. Their names begin with the value of `SEGUE_FETCH_SECRETS`. */
export const fetchSecrets = /* @__PURE__ */ lazy(() => secretsUnder(required('SEGUE_FETCH_SECRETS')));

/** The secrets of destinations in Secrets Manager. Their names begin with the value of `SEGUE_DESTINATION_SECRETS`. */
export const destinationSecrets = /* @__PURE__ */ lazy(() => secretsUnder(required('SEGUE_DESTINATION_SECRETS')));

/**
 * The function that reads the live event secrets of a company, in Secrets Manager. Their names begin with the value of
 * `SEGUE_EVENT_SECRETS`.
 */
export const eventSecrets = /* @__PURE__ */ lazy(() =>
  eventSecretsReader(items(), secretsUnder(required('SEGUE_EVENT_SECRETS'))),
);

/** The store of event secrets, for making new ones. The first use loads the client of Secrets Manager of the AWS SDK. */
export const eventSecretStore = /* @__PURE__ */ lazy((): SecretStore => {
  const open = lazy(async () => {
    const sdk = await import('../../lib/aws/secrets-manager-store.ts');
    const prefix = required('SEGUE_EVENT_SECRETS');
    const encryptionKey = process.env['SEGUE_ENCRYPTION_KEY'] || undefined;
    return sdk.secretsManagerStore({ client: sdk.secretsManagerClient(), prefix, encryptionKey });
  });
  return {
    read: async (name) => (await open()).read(name),
    create: async (name, text) => (await open()).create(name, text),
    delete: async (name) => (await open()).delete(name),
  };
});

/** Creates the id of a project event. Without this function, the service would record no events. */
export const newEventId = randomUUID;

/**
 * Reads a project from an S3 object that a workflow names, if the role of the function permits it. The first call loads
 * the S3 client.
 */
export const readObject: ReadObject = async (object, deadline) => (await objectReader())(object, deadline);
const objectReader = /* @__PURE__ */ lazy(async (): Promise<ReadObject> => {
  const [{ objectsInS3 }, s3] = await Promise.all([
    import('../../lib/workflow/projects-in-s3.ts'),
    import('../../lib/storage/dynamodb/objects.ts'),
  ]);
  return objectsInS3(s3.s3Client());
});
