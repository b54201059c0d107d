import { BASE_URL_RULE, readBaseUrl } from '../../lib/contract/base-url.ts';
import type { ReadSecret } from '../../lib/credentials/cached-secret.ts';
import type { Companies } from '../../lib/credentials/companies.ts';
import type { ListedStore } from '../../lib/storage/port.ts';
import { type Audited, audit } from '../../lib/upstream/audit.ts';
import { connectUpstream } from '../../lib/upstream/client.ts';
import { DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';
import { UsageError } from './io.ts';

/** The settings of the connection to an upstream service. */
export interface UpstreamSettings {
  readonly url: string;
  readonly readSecret: ReadSecret;
  /** The prefix that Segue adds to custom ids at the upstream service. The default prefix if absent. */
  readonly customIdPrefix?: string | undefined;
  /** The settle time, in milliseconds. The default of `lib/upstream` if absent. */
  readonly propagationMs?: number | undefined;
}

/** An upstream service, with the ledger of the companies that own its projects. */
interface AuditedUpstream extends UpstreamSettings {
  readonly storage: ListedStore;
  readonly companies: Companies;
  /** The ids of companies that `companies` may not list, such as the sandbox company. */
  readonly others?: readonly string[];
}

const NO_DEADLINE = { remainingMs: () => Number.POSITIVE_INFINITY };

/**
 * Compares the projects at an upstream service with the projects that companies own according to the ledger.
 * @throws {CliError} if the base URL of the service is invalid
 */
export async function auditUpstream({
  storage,
  companies,
  others = [],
  ...settings
}: AuditedUpstream): Promise<Audited> {
  const upstream = openUpstream(settings);
  const listed = await Array.fromAsync(companies.list(), ({ companyId }) => companyId);
  const companyIds = [...new Set([...listed, ...others])];
  return audit({ ...upstream, storage, now: Date.now }, companyIds, NO_DEADLINE);
}

/** Creates the client of an upstream service. @throws {CliError} if the base URL of the service is invalid */
export function openUpstream({
  url,
  readSecret,
  customIdPrefix = DEFAULT_CUSTOM_ID_PREFIX,
  ...settings
}: UpstreamSettings) {
  const base = readBaseUrl(url, { protocols: ['http', 'https'] });
  if (!base) throw new UsageError(`the base URL of the upstream service must be ${BASE_URL_RULE}`);
  const { client, isOwnAccount } = connectUpstream({ url: base, readSecret, now: Date.now });
  return { client, isOwnAccount, customIdPrefix, ...settings };
}
