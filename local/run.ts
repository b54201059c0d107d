import { once } from 'node:events';
import { registerHooks } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import * as z from 'zod/mini';
import { ROUTES } from '../lib/contract/routes.ts';
import { findCompany } from '../lib/credentials/company-record.ts';
import { recordStart } from '../lib/credentials/sandbox-company.ts';
import { failureFields } from '../lib/service/log.ts';
import type { ItemStore } from '../lib/storage/port.ts';
import { claimStore, type Owner } from '../lib/storage/store-owner.ts';
import { keepDelivering, keepReconciling } from './background.ts';
import { createGateway, type Gateway } from './gateway.ts';
import type { AuthorizerHandler, FunctionFailure, HttpHandler, PipelineOptions } from './pipeline.ts';
import { type LocalSettings, readSettings, replaceSegueVariables, SettingsError } from './settings.ts';

/**
 * Runs the deployed functions behind a gateway on this machine, until a signal stops it, also during the start.
 * @param args the command line after the program
 * @throws errors that `formatError` formats
 */
export async function run(args: readonly string[], stop: AbortSignal): Promise<void> {
  const settings = readSettings(args, process.env);
  await withPlatform(settings, async (platform) => {
    const gateway = await gatewayOn(platform, settings);
    await setImmediate(); // The first turn of the event loop: a signal during the start arrives now.
    if (stop.aborted) return;
    const url = `http://127.0.0.1:${await gateway.listen(settings.port)}`;
    // Not awaited at the end: the next start continues whatever is left.
    if (settings.service === 'upstream') {
      const { service } = await import('../functions/compose/upstream.ts');
      void keepReconciling(service.reconcile, { stop });
    }
    const { openDeliveryWorker } = await import('../functions/compose/webhooks.ts');
    void keepDelivering(openDeliveryWorker(), { stop });
    await printWelcome(url, platform, settings);
    if (!stop.aborted) await once(stop, 'abort');
    await gateway.close();
  });
}

/** The parts of the composed platform that the gateway needs. */
export type LocalPlatform = Pick<typeof import('#platform'), 'storage' | 'companyRate' | 'sandbox'>;

/** Opens the store, and closes it after the work. @throws {SettingsError} if another service uses the store */
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

/** Both services have different records under the same keys. */
async function requireStoreOf(storage: ItemStore, service: Owner): Promise<void> {
  if ((await claimStore(storage, service)) === service) return;
  const was = service === 'upstream' ? 'without --upstream' : 'with --upstream';
  throw new SettingsError(`The store was begun ${was}: set SEGUE_DATA_DIR (or SEGUE_TABLE) to another one`);
}

/** Makes the gateway in front of the deployed functions. */
export async function gatewayOn(platform: LocalPlatform, { wrongCredentials }: LocalSettings): Promise<Gateway> {
  return createGateway({
    ...(await loadFunctions()),
    rate: platform.companyRate(),
    wrongCredentials,
    now: Date.now,
    onFailure: logFailure,
  });
}

/** Chooses the service and the platform of the functions that are imported from now on, as the bundler does for a bundle. */
function chooseComposition(service: 'hosted' | 'upstream', platform: 'local' | 'local-dynamodb'): void {
  const conditions: Readonly<Record<string, string>> = { '#service': service, '#platform': platform };
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const condition = conditions[specifier];
      if (condition === undefined) return nextResolve(specifier, context);
      return nextResolve(specifier, { ...context, conditions: [...context.conditions, condition] });
    },
  });
}

const isFunction = (value: unknown) => typeof value === 'function';
const Authorizer = z.object({ handler: z.custom<AuthorizerHandler>(isFunction) });
const Operation = z.object({ handler: z.custom<HttpHandler>(isFunction) });
const Operations = z.record(z.enum(ROUTES.map(({ id }) => id)), z.custom<HttpHandler>(isFunction));

/** Imports the deployed functions. @throws if a file is missing or exports no `handler` */
async function loadFunctions(): Promise<Pick<PipelineOptions, 'handlers' | 'authorizer'>> {
  const load = (name: string) => import(new URL(`../functions/${name}.ts`, import.meta.url).href);
  const handlers = ROUTES.map(async ({ id, function: name }) => [id, Operation.parse(await load(name)).handler]);
  return {
    authorizer: Authorizer.parse(await load('authorizer')).handler,
    handlers: Operations.parse(Object.fromEntries(await Promise.all(handlers))),
  };
}

/** Logs a failed function, without its message, which may hold content. */
function logFailure({ functionName, requestId, error }: FunctionFailure): void {
  const line = { level: 'error', operation: functionName, requestId, ...failureFields(error) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

/**
 * Records the company that Segue runs as, and prints how to send a first request from sh, bash or zsh. The last line
 * tells that Segue is ready.
 */
export async function printWelcome(
  url: string,
  { storage, sandbox }: Pick<LocalPlatform, 'storage' | 'sandbox'>,
  { hasOwnKey }: LocalSettings,
): Promise<void> {
  const { companyId, apiKey } = sandbox();
  await recordStart(storage(), companyId);
  const isSuspended = (await findCompany(storage(), companyId))?.record.state === 'suspended';
  const suspended = `${companyId} is suspended: every request gets 401 until you run\nnpm run segue -- company resume ${companyId}\n\n`;
  const paste = hasOwnKey ? 'set SEGUE_API_KEY to your key, and paste this line' : 'paste these two lines';
  process.stdout.write(`In another terminal, ${paste}:

export SEGUE_URL=${url} SEGUE_COMPANY_ID=${companyId}
${hasOwnKey ? '' : `export SEGUE_API_KEY=${apiKey}\n`}
Then create a first project:

${FIRST_REQUEST}

The reference of the API: ${url}/docs

${isSuspended ? suspended : ''}Segue is ready at ${url}
`);
}

/** The shell fills in the start date, which must be now. */
const FIRST_REQUEST = `curl -sS "$SEGUE_URL/segments/projects" -u "$SEGUE_COMPANY_ID:$SEGUE_API_KEY" \\
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
