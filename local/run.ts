import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { findCompany } from '../lib/credentials/company-record.ts';
import type { CompanyRate } from '../lib/credentials/rate-limit.ts';
import { recordStart } from '../lib/credentials/sandbox.ts';
import { failureFields } from '../lib/service/log.ts';
import type { ItemStore } from '../lib/storage/port.ts';
import { claimStore, type Owner } from '../lib/storage/store-owner.ts';
import { keepDelivering } from './delivering.ts';
import { SettingsError } from './environment.ts';
import { loadDeliveryWork, loadFunctions, loadReconcile, resolveCompositionTo } from './functions.ts';
import { createGateway } from './gateway.ts';
import type { Failure } from './pipeline.ts';
import { keepReconciling } from './reconciling.ts';
import { handOn, readSettings, type Settings } from './settings.ts';
import { welcome } from './welcome.ts';

/**
 * Runs the functions that deploy, behind a gateway on this machine, until it is told to stop; that may be at any time.
 * @param args what follows the program on the command line
 * @throws what `sentence` can tell
 */
export async function run(args: readonly string[], stop: AbortSignal): Promise<void> {
  const settings = readSettings(args, process.env);
  handOn(settings, process.env);
  resolveCompositionTo(settings.upstream ? 'upstream' : 'hosted', settings.dynamoDb ? 'local-dynamodb' : 'local');
  const platform = await import('#platform');
  await platform.openPlatform();
  try {
    await requireStoreOf(platform.storage(), settings.upstream ? 'upstream' : 'hosted');
    await serve(settings, platform, stop);
  } finally {
    await platform.closePlatform();
  }
}

/** @throws {SettingsError} where the store is another service's: under the same keys it has other records */
export async function requireStoreOf(storage: ItemStore, service: Owner): Promise<void> {
  if ((await claimStore(storage, service)) === service) return;
  const was = service === 'upstream' ? 'without --upstream' : 'with --upstream';
  throw new SettingsError(`The store was begun ${was}: set SEGUE_DATA_DIR (or SEGUE_TABLE) to another one`);
}

async function serve(settings: Settings, platform: Platform, stop: AbortSignal): Promise<void> {
  const { port, wrongCredentials, upstream } = settings;
  const gateway = createGateway({
    ...(await loadFunctions()),
    rate: platform.companyRate(),
    wrongCredentials,
    now: Date.now,
    onFailure: reportFailure,
  });
  await setImmediate(); // Nothing until here lets the event loop turn: a signal that came meanwhile is heard now.
  if (stop.aborted) return;
  const url = `http://127.0.0.1:${await gateway.listen(port)}`;
  // Not waited for in the end: it may be left anywhere, and goes on with the next start.
  if (upstream) void keepReconciling({ reconcile: await loadReconcile(), stop });
  void keepDelivering({ work: await loadDeliveryWork(), stop });
  await announce(url, settings, platform);
  if (!stop.aborted) await once(stop, 'abort');
  await gateway.close();
}

/** What `npm start` needs of the composed platform. */
export interface Platform {
  readonly storage: () => ItemStore;
  /** Counts the requests of each company, if there is a rate. */
  readonly companyRate: () => CompanyRate | undefined;
  /** The company that Segue runs as, and its key. */
  readonly sandbox: () => { readonly companyId: string; readonly apiKey: string };
}

/** Records the company that Segue runs as, and tells a person how to reach it. */
export async function announce(
  url: string,
  { apiKey: ownKey }: Settings,
  { storage, sandbox }: Pick<Platform, 'storage' | 'sandbox'>,
): Promise<void> {
  const { companyId, apiKey } = sandbox();
  await recordStart(storage(), companyId);
  const isSuspended = (await findCompany(storage(), companyId))?.record.state === 'suspended';
  process.stdout.write(welcome({ url, companyId, keptKey: ownKey === undefined ? apiKey : undefined, isSuspended }));
}

/** As the functions log: what failed and where, never a message, which may hold content. */
export function reportFailure({ functionName, requestId, error }: Failure): void {
  const line = { level: 'error', operation: functionName, requestId, ...failureFields(error) };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
