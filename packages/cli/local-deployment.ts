import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { objectReaderOf, upstreamSecretOf } from '../../functions/compose/machine.ts';
import { machineSettings, serviceSettings, UpstreamMark } from '../../functions/compose/settings.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { guardCompany, refuseSuspendedCompany, requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { EVENT_SECRETS_FOLDER, eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { findLastStart } from '../../lib/credentials/sandbox-company.ts';
import { dropSigningKeysFile, rotateSigningKeysFile, secretFiles } from '../../lib/credentials/secret-files.ts';
import { failedEventsIn } from '../../lib/events/deliveries.ts';
import type { Guard } from '../../lib/idempotency/commit.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import type { ItemStore, Storage } from '../../lib/storage/port.ts';
import { hasDatabase, openDatabase } from '../../lib/storage/sqlite/database.ts';
import { reserveIn } from '../../lib/storage/sqlite/reserve.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { claimStore, type Owner, ownerOf } from '../../lib/storage/store-owner.ts';
import { deadLettersIn } from '../../lib/webhooks/dead-letters.ts';
import { sourceAdmin } from '../../lib/webhooks/source-admin.ts';
import { SECRETS_FOLDER } from '../../lib/webhooks/sources.ts';
import { auditUpstream, openUpstream, type UpstreamSettings } from './audit.ts';
import type { Deployment, DeploymentOptions } from './deployment.ts';
import { CliError, type CliIo } from './io.ts';

type Env = CliIo['env'];

const NO_UPSTREAM =
  'the audit needs the upstream service: give --upstream <base url>, as for npm start, or --stack <name> for a stack';

const NO_PLANS =
  'only a stack has plans: give --stack <name>. On this machine, start Segue with SEGUE_RATE to limit the rate of every company';

const noStoreIn = (dataDir: string) =>
  `the folder ${resolve(dataDir)} has no store: run npm start first, or set SEGUE_DATA_DIR to the folder of your npm start`;

/** The port on which `npm start` listens if `PORT` is not set. */
const DEFAULT_PORT = '8787';
const DEFAULT_PORT_NOTE = 'This is the default port of npm start. If yours uses another one, set SEGUE_URL.\n';

/**
 * Returns the Segue of this machine. It has the same data folder and settings as an `npm start` with this environment.
 */
export function localDeployment({ env }: Pick<CliIo, 'env'>, { createsStore }: DeploymentOptions): Deployment {
  const { dataDir, companyId: sandboxId } = machineSettings(env);
  let opened: SqliteStorage | undefined;
  const storage = () => {
    if (!createsStore && !hasDatabase(dataDir)) throw new CliError(noStoreIn(dataDir), { exitCode: 2 });
    opened ??= new SqliteStorage(openDatabase(dataDir), Date.now, { reserve: reserveIn(dataDir) });
    return opened;
  };
  const sandbox = async () => sandboxId ?? (await findLastStart(storage())).companyId;
  const isCompany = (companyId: string) => companiesIn(storage(), Date.now).exists(companyId);
  /** Registers the sandbox company before its first project, as `npm start` does. */
  async function registerSandbox(companyId: string): Promise<void> {
    if (companyId === (await sandbox())) await companiesIn(storage(), Date.now).register(companyId);
  }
  return {
    get companies() {
      return companiesIn(storage(), Date.now);
    },
    get sources() {
      return sourceAdmin({
        store: storage(),
        secretStore: secretFiles(dataDir, SECRETS_FOLDER),
        isCompany,
        now: Date.now,
      });
    },
    isCompany,
    allowsLoopbackEvents: async () => (await findLastStart(storage())).allowsLoopbackEvents,
    get eventSecrets() {
      const secretStore = secretFiles(dataDir, EVENT_SECRETS_FOLDER);
      return eventSecretsIn({ store: storage(), secretStore, now: Date.now });
    },
    get failedEvents() {
      return failedEventsIn(storage(), Date.now);
    },
    get letters() {
      return deadLettersIn(storage(), Date.now);
    },
    webhookUrl(name) {
      const { SEGUE_URL: base, PORT: port } = env;
      const url = `${base || `http://127.0.0.1:${port || DEFAULT_PORT}`}/webhooks/${name}`;
      return base || port ? { url } : { url, note: DEFAULT_PORT_NOTE };
    },
    prepareCompany: async () => {},
    get plans(): never {
      throw new CliError(NO_PLANS, { exitCode: 2 });
    },
    rotateSigningKeys: async () =>
      `A new signing key signs tokens from ${rotateSigningKeysFile(dataDir, Date.now())} on.`,
    dropSigningKeys: async () => dropSigningKeysFile(dataDir, Date.now()),
    get canary(): never {
      throw new CliError('only a stack has a canary: add --stack <name>');
    },
    async audit(url) {
      if (url === undefined) throw new CliError(NO_UPSTREAM, { exitCode: 2 });
      if ((await ownerOf(storage())) !== 'upstream')
        throw new CliError(
          `the folder ${resolve(dataDir)} is not of an npm start with --upstream: set SEGUE_DATA_DIR`,
          { exitCode: 2 },
        );
      const others = [await sandbox()];
      const companies = companiesIn(storage(), Date.now);
      return auditUpstream({ ...upstreamAt(url, env), storage: storage(), companies, others });
    },
    async restore() {
      throw new CliError('a restore is for a stack: give --stack. On this machine, copy the data folder back', {
        exitCode: 2,
      });
    },
    async bulk(request) {
      const { runLocally } = await import('./bulk/run-locally.ts');
      const { validateOnly, upstream } = request;
      const service = await serviceOn(storage(), env, upstream);
      await requireOwner(storage(), upstream === undefined ? 'hosted' : 'upstream', { validateOnly });
      const companyId = request.companyId ?? (await sandbox());
      // With --validate-only nothing is written, so the sandbox company need not be registered yet.
      const mayBeMissing = validateOnly && companyId === (await sandbox());
      if (!mayBeMissing) await registerSandbox(companyId);
      const requireCompany = mayBeMissing ? refuseSuspendedCompany(storage) : requireActiveCompany(storage);
      return runLocally({ service, requireCompany }, { ...request, companyId });
    },
    async tasks(upstream) {
      const { createProjectTask } = await import('../../lib/workflow/create-project.ts');
      const { deleteProjectTask } = await import('../../lib/workflow/delete-project.ts');
      const { getProgressTask } = await import('../../lib/workflow/get-progress.ts');
      const service = await serviceOn(storage(), env, upstream);
      await requireOwner(storage(), upstream === undefined ? 'hosted' : 'upstream', { validateOnly: false });
      const requireActive = requireActiveCompany(storage);
      const options = {
        now: Date.now,
        log: () => {},
        async requireCompany(companyId: string) {
          await registerSandbox(companyId);
          await requireActive(companyId);
        },
      };
      return {
        createProject: createProjectTask(service, {
          ...options,
          readObject: objectReaderOf(() => machineSettings(env)),
        }),
        deleteProject: deleteProjectTask(service, options),
        getProgress: getProgressTask(service, options),
      };
    },
    close: () => opened?.close(),
  };
}

/**
 * Creates the project service for a bulk run. Other commands need no service, so its code is loaded here.
 * @throws {CliError} if settings of the upstream service are missing
 */
async function serviceOn(storage: Storage, env: Env, upstreamUrl: string | undefined): Promise<ProjectService> {
  const guard: Guard = {
    presume: () => undefined,
    require: ({ companyId, requestId }) => guardCompany(storage, companyId, requestId),
  };
  const options = {
    storage,
    now: Date.now,
    ...serviceSettings(env),
    newEventId: randomUUIDv7,
    allowsLoopbackEvents: (await findLastStart(storage)).allowsLoopbackEvents,
    guard,
  };
  if (upstreamUrl === undefined) {
    const { hostedService } = await import('../../lib/hosted/service.ts');
    return hostedService({ ...options, random: Math.random });
  }
  const { upstreamService } = await import('../../lib/upstream/service.ts');
  const upstream = openUpstream(upstreamAt(upstreamUrl, env));
  return upstreamService({ ...options, ...upstream, sleep: (ms) => setTimeout(ms), newId: randomUUID });
}

/**
 * Reads the settings of the upstream service from the environment.
 * @throws {CliError} if a setting is missing or invalid
 */
function upstreamAt(url: string, env: Env): UpstreamSettings {
  const settings = machineSettings(env);
  const { companyId, apiKey, secret } = settings.upstream;
  if (!secret && !(companyId && apiKey)) {
    throw new CliError(
      'the account at the upstream service is missing: set SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET',
      { exitCode: 2 },
    );
  }
  const prefix = z.optional(UpstreamMark).safeParse(env['SEGUE_UPSTREAM_MARK'] || undefined);
  if (!prefix.success)
    throw new CliError(prefix.error.issues[0]?.message ?? 'SEGUE_UPSTREAM_MARK is invalid', { exitCode: 2 });
  return { url, readSecret: upstreamSecretOf(settings), customIdPrefix: prefix.data };
}

/**
 * Checks that the store belongs to this service. The other service has different records under the same keys.
 * @throws {CliError} if the store belongs to the other service
 */
async function requireOwner(
  storage: ItemStore,
  service: Owner,
  { validateOnly }: { readonly validateOnly: boolean },
): Promise<void> {
  const owner = validateOnly ? ((await ownerOf(storage)) ?? service) : await claimStore(storage, service);
  if (owner === service) return;
  const startedAs = service === 'upstream' ? 'without --upstream' : 'with --upstream';
  throw new CliError(`the store was created ${startedAs}: set SEGUE_DATA_DIR to another folder`);
}
