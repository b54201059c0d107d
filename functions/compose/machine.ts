import { randomUUID } from 'node:crypto';
import { endpointOf } from '../../lib/aws/sdk-endpoint.ts';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { lazy } from '../../lib/contract/lazy.ts';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { cachedSecret, type ReadSecret } from '../../lib/credentials/cached-secret.ts';
import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { EVENT_SECRETS_FOLDER, eventSecretsReader } from '../../lib/credentials/event-secrets.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { liveSecretsIn } from '../../lib/credentials/live-secrets.ts';
import { tokenBuckets } from '../../lib/credentials/rate-limit.ts';
import { openSandboxKeyFile, SANDBOX, withSandboxKey } from '../../lib/credentials/sandbox-company.ts';
import { openSigningKeysFile, secretFiles } from '../../lib/credentials/secret-files.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { DESTINATION_SECRETS_FOLDER } from '../../lib/destinations/destinations.ts';
import type { ContentReader } from '../../lib/hosted/translation/content-reader.ts';
import type { SendMail } from '../../lib/service/mail.ts';
import type { ItemStore } from '../../lib/storage/port.ts';
import { FETCH_SECRETS_FOLDER, SECRETS_FOLDER, sourcesIn } from '../../lib/webhooks/sources.ts';
import { objectProblems, type ReadObject } from '../../lib/workflow/project-reference.ts';
import { objectsInFolder } from '../../lib/workflow/projects-in-folder.ts';
import { type MachineSettings, required } from './environment.ts';

/**
 * Creates the parts of the platform on one machine: API keys, signing keys of tokens, secrets, companies and webhook
 * sources. Each part opens at its first use.
 * @param store opens the store of the API keys, companies and webhook sources
 */
export function openMachine(settings: () => MachineSettings, store: () => ItemStore) {
  /** The id of the sandbox company, and its API key. */
  const sandbox = lazy(() => {
    const { dataDir, companyId = SANDBOX, apiKey } = settings();
    return { companyId, apiKey: apiKey ?? openSandboxKeyFile(dataDir, companyId) };
  });

  /** The API keys in the store, and the API key of the sandbox company. */
  const keys = lazy(() => withSandboxKey(sandbox(), storedKeys(store()), store()));

  const signingKeys = lazy(() =>
    cachedSigningKeys(cachedSecret(openSigningKeysFile(settings().dataDir), parseSigningKeys, { now: Date.now })),
  );

  /**
   * The function that checks a company's rate limit; `undefined` if there is no limit. The gateway and the token
   * operations share it.
   */
  const companyRate = lazy(() => {
    const { rate } = settings();
    return rate && tokenBuckets({ ...rate, now: Date.now }).take;
  });

  const authentication = lazy(
    (): AuthDeps => ({
      keys: keys(),
      store: store(),
      signingKeys: (id) => signingKeys()(id),
      now: Date.now,
      newId: randomUUID,
      rate: companyRate(),
    }),
  );

  const sourceSecretStore = lazy(() => secretFiles(settings().dataDir, SECRETS_FOLDER));
  const fetchSecretStore = lazy(() => secretFiles(settings().dataDir, FETCH_SECRETS_FOLDER));
  const destinationSecretStore = lazy(() => secretFiles(settings().dataDir, DESTINATION_SECRETS_FOLDER));
  const eventSecretStore = lazy(() => secretFiles(settings().dataDir, EVENT_SECRETS_FOLDER));

  return {
    sandbox,
    keys,
    signingKeys,
    companyRate,
    authentication,
    /** Checks that a company is in the store and active. Throws a `Problem` if not. */
    requireCompany: requireActiveCompany(store),
    sources: lazy(() => sourcesIn(store())),
    sourceSecretStore,
    sourceSecrets: lazy(() => liveSecretsIn(sourceSecretStore(), Date.now)),
    fetchSecretStore,
    fetchSecrets: lazy(() => liveSecretsIn(fetchSecretStore(), Date.now)),
    destinationSecretStore,
    destinationSecrets: lazy(() => liveSecretsIn(destinationSecretStore(), Date.now)),
    eventSecretStore,
    /** The function that reads the live event secrets of a company. */
    eventSecrets: lazy(() => eventSecretsReader(store(), liveSecretsIn(eventSecretStore(), Date.now))),
    upstreamSecret: () => upstreamSecretOf(settings()),
    translationSecret: () => translationSecretOf(settings()),
    readObject: objectReaderOf(settings),
    /** Opens the function that sends e-mails over SMTP. Only then is nodemailer loaded. */
    async openMailTransport(from: string): Promise<SendMail> {
      const { smtpMail } = await import('../../lib/hosted/people/smtp-mail.ts');
      return smtpMail(settings().mailServer ?? required('SEGUE_MAIL_SERVER'), from);
    },
    /** Opens the reader of contents that are translated: a thread, so that no content holds up or ends the process. */
    async openContentReader(): Promise<ContentReader> {
      return (await import('../../lib/hosted/translation/threaded-reader.ts')).threadedReader();
    },
  };
}

/**
 * Creates the function that reads the credentials for the upstream service: from the settings, or from the AWS secret
 * that the settings name.
 */
function upstreamSecretOf({ upstream: { secret, ...account } }: MachineSettings): ReadSecret {
  return secret === undefined ? async () => JSON.stringify(account) : secretNamed(secret);
}

/**
 * Creates the function that reads the API key of the translation engine: from the settings, or from the AWS secret that
 * the settings name. Returns `undefined` if there is no key.
 */
function translationSecretOf({ translation: { secret, key } }: MachineSettings): ReadSecret | undefined {
  if (secret !== undefined) return secretNamed(secret);
  return key === undefined ? undefined : async () => JSON.stringify({ key });
}

/** Creates the function that reads a secret from Secrets Manager. */
function secretNamed(name: string): ReadSecret {
  const read = secretsManagerReader({ endpointOf, now: Date.now });
  return () => read(name);
}

/** Returns a function that reads the projects that tasks name, from the folder in `SEGUE_PROJECTS_DIR`. */
function objectReaderOf(settings: () => MachineSettings): ReadObject {
  return async (object, deadline) => {
    const { projectsDir } = settings();
    if (projectsDir === undefined) throw objectProblems.notReadable();
    return objectsInFolder(projectsDir)(object, deadline);
  };
}
