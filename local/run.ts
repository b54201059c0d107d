import { once } from 'node:events';
import { registerHooks } from 'node:module';
import { extname, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod/mini';
import { allowsLoopbackEvents } from '../functions/compose/environment.ts';
import { ADMINISTRATION_ROUTES } from '../lib/contract/administration.ts';
import { AGENTS_PATH } from '../lib/contract/agents.ts';
import { lazy } from '../lib/contract/lazy.ts';
import { REFERENCE_PATH } from '../lib/contract/paths.ts';
import { SEGUE } from '../lib/contract/segue-command.ts';
import { WrongSetting } from '../lib/contract/settings.ts';
import { companyIdsIn, findCompany } from '../lib/credentials/company-record.ts';
import { recordStart } from '../lib/credentials/sandbox-company.ts';
import { destinationAdministration } from '../lib/destinations/administration.ts';
import { destinationReader } from '../lib/destinations/destination-admin.ts';
import { resultsIn } from '../lib/destinations/results.ts';
import { failureFields } from '../lib/service/log.ts';
import type { ItemStore } from '../lib/storage/port.ts';
import { DEFAULT_FOLDER } from '../lib/storage/sqlite/database.ts';
import { claimStore, type Owner } from '../lib/storage/store-owner.ts';
import { administration } from '../lib/webhooks/administration.ts';
import { deadLettersIn } from '../lib/webhooks/dead-letters.ts';
import { sourceReader } from '../lib/webhooks/source-admin.ts';
import { keepMailing, keepMovingEvents, keepReconciling, keepWorking } from './background.ts';
import { createGateway, type Gateway } from './gateway.ts';
import type { AuthorizerHandler, FunctionFailure, HttpHandler, PipelineOptions } from './pipeline.ts';
import { HELP, type LocalSettings, readSettings, replaceSegueVariables } from './start-settings.ts';
import { PUBLIC_ROUTES } from './target.ts';

/**
 * Runs Segue's Lambda functions on this machine, behind a local gateway, until `stop` is aborted.
 * @param args the command line after the program
 * @param stop aborted at SIGINT (Ctrl-C) or SIGTERM, also during the start
 * @throws errors that `formatError` formats
 */
export async function run(args: readonly string[], stop: AbortSignal): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  const settings = readSettings(args, process.env);
  await withPlatform(settings, async (platform) => {
    const gateway = await gatewayOn(platform, settings, { administration: administrationOf(platform) });
    // A signal that was sent while the program loaded arrives in this turn of the event loop.
    await setImmediate();
    if (stop.aborted) return;
    const url = `http://127.0.0.1:${await gateway.listen(settings.port)}`;
    // The end of the background work is not awaited, because the next start continues unfinished work.
    if (settings.service === 'upstream') {
      const { openReconciler } = await import('../functions/compose/upstream.ts');
      void keepReconciling(await openReconciler(), { stop });
    } else {
      const { openJobWorker } = await import('../functions/compose/jobs.ts');
      void keepWorking('jobs', openJobWorker({ stop }), { stop, pauseMs: JOBS_PAUSE_MS });
      const { companyIds, openMailSender } = await import('../functions/compose/mail.ts');
      const sendMail = await openMailSender();
      if (sendMail) void keepMailing(sendMail, companyIds, { stop });
      const { openResultSender } = await import('../functions/compose/destinations.ts');
      void keepWorking('sendResults', await openResultSender(), { stop });
    }
    const { openDeliveryWorker } = await import('../functions/compose/webhooks.ts');
    void keepWorking('deliveries', await openDeliveryWorker(), { stop });
    const { openEventSender, openMover } = await import('../functions/compose/events.ts');
    void keepMovingEvents(openMover(), () => companyIdsIn(platform.storage()), { stop });
    void keepWorking('sendEvents', openEventSender(), { stop });
    await printWelcome(url, platform, settings);
    if (!stop.aborted) await once(stop, 'abort');
    await gateway.close();
  });
}

/** The pause between two looks for jobs, in milliseconds. A first request should see its translations soon. */
const JOBS_PAUSE_MS = 200;

/** The parts of `#platform` that `npm start` and `npm run simulator` use directly. */
export type LocalPlatform = Pick<typeof import('#platform'), 'storage' | 'companyRate' | 'sandbox'>;

/**
 * Opens the store, does the work, and closes the store.
 * @throws {WrongSetting} if the store belongs to the other service
 */
export async function withPlatform(
  settings: LocalSettings,
  work: (platform: LocalPlatform) => Promise<void>,
): Promise<void> {
  replaceSegueVariables(settings, process.env);
  chooseComposition(settings.service, settings.store === 'dynamodb' ? 'local-dynamodb' : 'local');
  const platform = await import('#platform');
  await platform.openPlatform();
  try {
    await requireStoreOf(platform.storage(), settings.service);
    await work(platform);
  } finally {
    await platform.closePlatform();
  }
}

/** Checks that the store belongs to the service. The other service has different records under the same keys. */
async function requireStoreOf(storage: ItemStore, service: Owner): Promise<void> {
  if ((await claimStore(storage, service)) === service) return;
  const was = service === 'upstream' ? 'without --upstream' : 'with --upstream';
  throw new WrongSetting(
    `The store was created ${was}: set SEGUE_DATA_DIR to another folder, or SEGUE_TABLE to another table`,
  );
}

/** Creates the local gateway in front of Segue's Lambda functions. */
export async function gatewayOn(
  platform: LocalPlatform,
  { wrongCredentials }: LocalSettings,
  options: Pick<PipelineOptions, 'administration'> = {},
): Promise<Gateway> {
  return createGateway({
    ...options,
    ...(await loadFunctions()),
    rate: platform.companyRate(),
    wrongCredentials,
    now: Date.now,
    onFailure: logFailure,
  });
}

/** Chooses the service and platform for functions imported from now on. On AWS, the bundler makes this choice. */
function chooseComposition(service: 'hosted' | 'upstream', platform: 'local' | 'local-dynamodb'): void {
  const conditions: Readonly<Record<string, string>> = {
    '#service': service,
    '#engine': service,
    '#platform': platform,
  };
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const condition = conditions[specifier];
      if (condition === undefined) return nextResolve(specifier, context);
      return nextResolve(specifier, { ...context, conditions: [...context.conditions, condition] });
    },
  });
}

/** The extension of this file and of the functions: `.js` in the package. */
const EXTENSION = extname(import.meta.filename);
const isFunction = (value: unknown) => typeof value === 'function';
const Authorizer = z.object({ handler: z.custom<AuthorizerHandler>(isFunction) });
const Operation = z.object({ handler: z.custom<HttpHandler>(isFunction) });
const Operations = z.record(z.enum(PUBLIC_ROUTES.map(({ id }) => id)), z.custom<HttpHandler>(isFunction));

const Administration = z.record(z.enum(ADMINISTRATION_ROUTES.map(({ id }) => id)), z.custom<HttpHandler>(isFunction));

/** Creates the operations of the administration API on the store of this machine. */
function administrationOf({ storage }: LocalPlatform): PipelineOptions['administration'] {
  const deps = { sources: sourceReader(storage()), letters: deadLettersIn(storage(), Date.now) };
  const openTests = lazy(async () =>
    (await import('../functions/compose/destination-tests.ts')).openDestinationTests(),
  );
  const ofDestinations = {
    destinations: destinationReader(storage()),
    results: resultsIn(storage(), Date.now),
    openTests,
  };
  return Administration.parse({
    ...administration(deps, { now: Date.now }),
    ...destinationAdministration(ofDestinations, { now: Date.now }),
  });
}

/** Imports the Lambda functions. @throws an error if a file is missing or does not export `handler` */
async function loadFunctions(): Promise<Pick<PipelineOptions, 'handlers' | 'authorizer'>> {
  const load = (name: string) => import(new URL(`../functions/${name}${EXTENSION}`, import.meta.url).href);
  const handlers = PUBLIC_ROUTES.map(async ({ id, function: name }) => [id, Operation.parse(await load(name)).handler]);
  return {
    authorizer: Authorizer.parse(await load('authorizer')).handler,
    handlers: Operations.parse(Object.fromEntries(await Promise.all(handlers))),
  };
}

/** Logs the failure of a function. The error's message is left out, because it may hold content. */
function logFailure({ functionName, requestId, error }: FunctionFailure): void {
  const line = { level: 'error', operation: functionName, requestId, ...failureFields(error) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/**
 * Registers the sandbox company, and records the start for later commands.
 * @returns its credentials, and a warning to print if it is suspended
 */
export async function registerSandbox(
  { storage, sandbox }: Pick<LocalPlatform, 'storage' | 'sandbox'>,
  { functionEnvironment }: LocalSettings,
) {
  const { companyId, apiKey } = sandbox();
  await recordStart(storage(), { companyId, allowsLoopbackEvents: allowsLoopbackEvents(functionEnvironment) });
  const isSuspended = (await findCompany(storage(), companyId))?.record.state === 'suspended';
  const warning = `${companyId} is suspended: every request gets 403 until you run\n${SEGUE} company resume ${companyId}\n\n`;
  return { companyId, apiKey, suspended: isSuspended ? warning : '' };
}

/** Prints the commands for a first request in sh, bash or zsh. The last printed line says that Segue is ready. */
async function printWelcome(url: string, platform: LocalPlatform, settings: LocalSettings): Promise<void> {
  const { hasOwnKey } = settings;
  const { companyId, apiKey, suspended } = await registerSandbox(platform, settings);
  const paste = hasOwnKey ? 'set SEGUE_API_KEY to your key, and paste this line' : 'paste these two lines';
  process.stdout.write(`In another terminal, ${paste}:

export SEGUE_URL=${url} SEGUE_COMPANY_ID=${companyId}${dataFolder(settings)}
${hasOwnKey ? '' : `export SEGUE_API_KEY=${apiKey}\n`}
Then create a first project:

${FIRST_REQUEST}

The reference of the API: ${url}${REFERENCE_PATH}
The console, for the same credentials: ${url}/console
Agents (the Model Context Protocol), with the same key: ${url}${AGENTS_PATH}

${suspended}Segue is ready at ${url}
`);
}

/** Returns the variable with the data folder, which commands need too. Empty for the default folder. */
function dataFolder({ functionEnvironment }: LocalSettings): string {
  const folder = resolve(functionEnvironment['SEGUE_DATA_DIR'] ?? DEFAULT_FOLDER);
  if (folder === resolve(DEFAULT_FOLDER)) return '';
  return ` SEGUE_DATA_DIR='${folder.replaceAll("'", `'\\''`)}'`;
}

/** The first request, as a shell command. The shell fills in the start date, which must be the current time. */
const FIRST_REQUEST = `curl -sS -w '\\n' "$SEGUE_URL/segments/projects" -u "$SEGUE_COMPANY_ID:$SEGUE_API_KEY" \\
  -H 'Content-Type: application/json' -d @- <<EOF
{
  "name": "Spring catalogue",
  "startDateUtc": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "endDateUtc": "2099-12-31T12:00:00Z",
  "sourceLanguageCode": "en-GB",
  "targetLanguages": [{ "targetLanguageCode": "de-DE", "serviceAutomaticTranslation": true }],
  "segments": [{ "content": "<p>Hello, world</p>", "taskId": "front-page" }]
}
EOF`;
