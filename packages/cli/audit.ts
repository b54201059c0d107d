import type { Command } from 'commander';
import { BASE_URL_RULE, readBaseUrl } from '../../lib/contract/base-url.ts';
import { countOf } from '../../lib/contract/count.ts';
import type { ReadSecret } from '../../lib/credentials/cached-secret.ts';
import type { Companies } from '../../lib/credentials/companies.ts';
import type { ListedStore } from '../../lib/storage/port.ts';
import { type Audited, audit, type Stray } from '../../lib/upstream/audit.ts';
import { connectUpstream } from '../../lib/upstream/client.ts';
import { DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';
import type { CliContext } from './deployment.ts';
import { CliError, UsageError } from './io.ts';

/** Adds the command `segue audit`. */
export function addAuditCommand(segue: Command, { print, progress, withDeployment }: CliContext): void {
  segue
    .command('audit')
    .description('compare the projects at the upstream service with the projects that companies own; changes nothing')
    .option('--upstream <base url>', 'on this machine: the base URL of the upstream service, as for npm start')
    .action(async ({ upstream }: { upstream?: string }) => {
      const { checked, unowned, missing } = await progress.during('Comparing projects', () =>
        withDeployment((deployment) => deployment.audit(upstream)),
      );
      const text = `${lines('unowned', unowned)}${lines('missing', missing)}Compared ${countOf(checked, 'project')}.\n`;
      print({ checked, unowned, missing }, text);
      if (unowned.length + missing.length === 0) return;
      throw new CliError(
        `${countOf(unowned.length, 'project')} at the service without an owner, ${countOf(missing.length, 'owned project')} missing there`,
      );
    });
}

function lines(finding: string, strays: readonly Stray[]): string {
  return strays.map(({ companyId, projectId }) => `${finding}  ${companyId}  ${projectId}\n`).join('');
}

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
