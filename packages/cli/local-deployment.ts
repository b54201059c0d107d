import { randomUUIDv7 } from 'node:crypto';
import { resolve } from 'node:path';
import { type MachineSettings, machineSettings, upstreamSettings } from '../../functions/compose/environment.ts';
import { openMachine } from '../../functions/compose/machine.ts';
import { WEBHOOKS_PATH } from '../../lib/contract/paths.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { refuseSuspendedCompany } from '../../lib/credentials/company-record.ts';
import { eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { keyGuard, storedKeys } from '../../lib/credentials/key-directory.ts';
import { findLastStart } from '../../lib/credentials/sandbox-company.ts';
import { dropSigningKeysFile, rotateSigningKeysFile } from '../../lib/credentials/secret-files.ts';
import { destinationAdmin, NO_RESULTS } from '../../lib/destinations/destination-admin.ts';
import { resultsIn } from '../../lib/destinations/results.ts';
import { failedEventsIn } from '../../lib/events/deliveries.ts';
import { wakeJobs } from '../../lib/hosted/work/wake-jobs.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import type { ItemStore } from '../../lib/storage/port.ts';
import { hasDatabase, openDatabase } from '../../lib/storage/sqlite/database.ts';
import { reserveIn } from '../../lib/storage/sqlite/reserve.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { claimStore, type Owner, ownerOf } from '../../lib/storage/store-owner.ts';
import { deadLettersIn } from '../../lib/webhooks/dead-letters.ts';
import { sourceAdmin } from '../../lib/webhooks/source-admin.ts';
import { dailyUse } from './daily-use.ts';
import type { Deployment, DeploymentOptions } from './deployment.ts';
import { CliError, type CliIo, UsageError } from './io.ts';
import { auditUpstream, openUpstream } from './upstream-audit.ts';

type Env = CliIo['env'];

const NO_UPSTREAM =
  'the audit needs the upstream service: give --upstream <base url>, as for npm start, or --stack <name> for a stack';

const NO_PLANS =
  'only a stack has plans: give --stack <name>. On this machine, start Segue with SEGUE_RATE to limit the rate of every company';

const noStoreIn = (dataDir: string) =>
  `the folder ${resolve(dataDir)} has no store: run npm start first, or set SEGUE_DATA_DIR to the folder of your npm start`;

/** The port on which `npm start` listens if `PORT` is not set. */
const DEFAULT_PORT = '8787';
/** The shortest pause between two looks at a project for which an execution on this machine waits, in milliseconds. */
const LOCAL_WAIT_PAUSE_MS = 1_000;
const DEFAULT_PORT_NOTE = 'This is the default port of npm start. If yours uses another one, set SEGUE_URL.\n';

/**
 * Returns the Segue of this machine. It has the same data folder and settings as an `npm start` with this environment.
 */
export function localDeployment({ env }: Pick<CliIo, 'env'>, { createsStore }: DeploymentOptions): Deployment {
  const settings = machineSettings(env);
  const { dataDir, companyId: sandboxId } = settings;
  let opened: SqliteStorage | undefined;
  const storage = () => {
    if (!createsStore && !hasDatabase(dataDir)) throw new UsageError(noStoreIn(dataDir));
    opened ??= new SqliteStorage(openDatabase(dataDir), Date.now, { reserve: reserveIn(dataDir) });
    return opened;
  };
  const machine = openMachine(() => settings, storage);
  const companies = () => companiesIn(storage(), Date.now);
  const isCompany = (companyId: string) => companies().exists(companyId);
  // A store without an owner is of an npm start that has not run yet.
  const isHosted = async () => (await ownerOf(storage())) !== 'upstream';
  const lastStart = () => findLastStart(storage());
  const sandbox = async () => sandboxId ?? (await lastStart()).companyId;
  /** Registers the sandbox company before its first project, as `npm start` does. */
  async function registerSandbox(companyId: string): Promise<void> {
    if (companyId === (await sandbox())) await companies().register(companyId);
  }
  /** Reads the settings of the upstream service. @throws {CliError | WrongSetting} if one is missing or invalid */
  const upstreamAt = (url: string) => ({
    url,
    readSecret: machine.upstreamSecret(),
    ...requireUpstream(settings, env),
  });
  /**
   * Creates the service of the store, which must be its own. Only bulk runs and workflows need one, so its code is loaded
   * here.
   */
  async function openService(upstreamUrl: string | undefined, options: OwnerOptions): Promise<ProjectService> {
    const { hostedOn, upstreamOn } = await import('../../functions/compose/services.ts');
    const { allowsLoopbackEvents } = await lastStart();
    const guard = keyGuard(() => storedKeys(storage()), Date.now);
    const parts = { storage: storage(), newEventId: randomUUIDv7, allowsLoopbackEvents, guard };
    const upstream = upstreamUrl === undefined ? undefined : openUpstream(upstreamAt(upstreamUrl));
    await requireOwner(storage(), upstream ? 'upstream' : 'hosted', options);
    return upstream ? upstreamOn({ ...parts, ...upstream }, env) : hostedOn(parts, env);
  }
  return {
    get companies() {
      return companies();
    },
    get sources() {
      const { sourceSecretStore, fetchSecretStore } = machine;
      const stores = { store: storage(), secretStore: sourceSecretStore(), fetchSecretStore };
      return sourceAdmin({ ...stores, isCompany, now: Date.now });
    },
    isCompany,
    dailyUse: (companyId) => dailyUse(storage(), companyId),
    wakeTranslation: (companyId) => wakeJobs(storage(), companyId, Date.now()),
    allowsLoopbackEvents: async () => (await lastStart()).allowsLoopbackEvents,
    get eventSecrets() {
      return eventSecretsIn({ store: storage(), secretStore: machine.eventSecretStore(), now: Date.now });
    },
    get failedEvents() {
      return failedEventsIn(storage(), Date.now);
    },
    get destinations() {
      const secretStore = machine.destinationSecretStore();
      return destinationAdmin({ store: storage(), secretStore, isCompany, isHosted, now: Date.now });
    },
    get results() {
      return resultsIn(storage(), Date.now);
    },
    async resultStores() {
      if (!(await isHosted())) throw new CliError(NO_RESULTS);
      const { readProjectNames } = await import('../../lib/hosted/project-names.ts');
      const { segments } = await openService(undefined, { validateOnly: true });
      const project = (companyId: string, id: number) => readProjectNames(storage(), companyId, id);
      return { store: storage(), deliveries: storage(), reads: { segments, project } };
    },
    get letters() {
      return deadLettersIn(storage(), Date.now);
    },
    async planningService() {
      // A store in front of an upstream service says nothing of that service's projects.
      const owner = (await ownerOf(storage())) ?? 'hosted';
      return owner === 'hosted' ? openService(undefined, { validateOnly: true }) : undefined;
    },
    webhookUrl(name) {
      const { SEGUE_URL: base, PORT: port } = env;
      const url = `${base || `http://127.0.0.1:${port || DEFAULT_PORT}`}${WEBHOOKS_PATH}/${name}`;
      return base || port ? { url } : { url, note: DEFAULT_PORT_NOTE };
    },
    prepareCompany: async () => {},
    get plans(): never {
      throw new UsageError(NO_PLANS);
    },
    rotateSigningKeys: async () =>
      `A new signing key signs tokens from ${rotateSigningKeysFile(dataDir, Date.now())} on.`,
    dropSigningKeys: async () => dropSigningKeysFile(dataDir, Date.now()),
    get canary(): never {
      throw new CliError('only a stack has a canary: add --stack <name>');
    },
    async audit(url) {
      if (url === undefined) throw new UsageError(NO_UPSTREAM);
      if ((await ownerOf(storage())) !== 'upstream')
        throw new UsageError(
          `the folder ${resolve(dataDir)} is not of an npm start with --upstream: set SEGUE_DATA_DIR`,
        );
      const others = [await sandbox()];
      return auditUpstream({ ...upstreamAt(url), storage: storage(), companies: companies(), others });
    },
    async restore() {
      throw new UsageError('a restore is for a stack: give --stack. On this machine, copy the data folder back');
    },
    async bulk(request) {
      const { runLocally } = await import('./bulk/run-locally.ts');
      const { validateOnly, upstream } = request;
      const service = await openService(upstream, { validateOnly });
      const companyId = request.companyId ?? (await sandbox());
      // With --validate-only nothing is written, so the sandbox company need not be registered yet.
      const mayBeMissing = validateOnly && companyId === (await sandbox());
      if (!mayBeMissing) await registerSandbox(companyId);
      const requireCompany = mayBeMissing ? refuseSuspendedCompany(storage) : machine.requireCompany;
      return runLocally({ service, requireCompany }, { ...request, companyId });
    },
    async workflow(upstream) {
      const { createProjectTask } = await import('../../lib/workflow/create-project-task.ts');
      const { putProjectTask } = await import('../../lib/workflow/put-project-task.ts');
      const { deleteProjectTask } = await import('../../lib/workflow/delete-project-task.ts');
      const { getProgressTask } = await import('../../lib/workflow/get-progress-task.ts');
      const { waitForProjectTask } = await import('../../lib/workflow/waits/wait-for-project-task.ts');
      const { waitWorker } = await import('../../lib/workflow/waits/wait-worker.ts');
      const { waitsIn } = await import('../../lib/workflow/waits/waits.ts');
      const service = await openService(upstream, { validateOnly: false });
      const options = {
        now: Date.now,
        log: () => {},
        async requireCompany(companyId: string) {
          await registerSandbox(companyId);
          return machine.requireCompany(companyId);
        },
      };
      const waits = waitsIn(storage(), Date.now);
      const { requireCompany } = options;
      const tasks = {
        createProject: createProjectTask(service, { ...options, readObject: machine.readObject }),
        putProject: putProjectTask(service, { ...options, readObject: machine.readObject }),
        deleteProject: deleteProjectTask(service, options),
        getProgress: getProgressTask(service, options),
        waitForProject: waitForProjectTask(service, { ...options, waits }),
      };
      const deps = { store: storage(), service, requireCompany, now: Date.now, pauseMs: LOCAL_WAIT_PAUSE_MS };
      return {
        tasks,
        reportWaits: (tokens) => waitWorker({ ...deps, tokens }).workOnDue({ remainingMs: () => 20_000 }),
      };
    },
    close: () => opened?.close(),
  };
}

/**
 * Reads the settings of the upstream service, and checks that its account is set.
 * @throws {CliError | WrongSetting} if a setting is missing or invalid
 */
function requireUpstream({ upstream: { companyId, apiKey, secret } }: MachineSettings, env: Env) {
  if (!secret && !(companyId && apiKey)) {
    throw new UsageError(
      'the account at the upstream service is missing: set SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET',
    );
  }
  return upstreamSettings(env);
}

interface OwnerOptions {
  /** Whether nothing is written, so that the service does not become the owner of a new store. */
  readonly validateOnly: boolean;
}

/**
 * Checks that the store belongs to this service. The other service has different records under the same keys.
 * @throws {CliError} if the store belongs to the other service
 */
async function requireOwner(storage: ItemStore, service: Owner, { validateOnly }: OwnerOptions): Promise<void> {
  const owner = validateOnly ? ((await ownerOf(storage)) ?? service) : await claimStore(storage, service);
  if (owner === service) return;
  const startedAs = service === 'upstream' ? 'without --upstream' : 'with --upstream';
  throw new CliError(`the store was created ${startedAs}: set SEGUE_DATA_DIR to another folder`);
}
