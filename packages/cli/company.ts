import type { Command } from 'commander';
import { countOf } from '../../lib/contract/count.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../../lib/contract/routes.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import type { Company, NewKey } from '../../lib/credentials/companies.ts';
import type { CompanyState } from '../../lib/credentials/company-record.ts';
import type { SourceAdmin } from '../../lib/webhooks/source-admin.ts';
import { addPlanCommand } from './company-plan.ts';
import { addDailyLimitsCommand } from './daily-limits.ts';
import type { CliContext, Deployment } from './deployment.ts';
import { CliError, parseCompanyId, scopesParser, UsageError } from './io.ts';
import { addLimitCommand, addLimitOptions, formatLimits, type LimitOptions, limitsOf } from './key-limits.ts';
import { tableOfRows } from './table.ts';

/**
 * The effect of a revocation, for the user. 30 seconds is the time for which the gateway caches an authorizer's
 * decision.
 */
const REVOKED_WITHIN =
  'The key can no longer delete anything. All its other requests are refused after 30 seconds at the latest.';
const SUSPENDED_WITHIN =
  'The company can no longer delete anything. All its other requests are refused after 60 seconds at the latest.';

/** The options of the commands that issue a key. */
interface IssueOptions extends LimitOptions {
  readonly scopes?: readonly Scope[];
  readonly canary?: true;
}

/** Adds the commands `segue company add|rotate|limit|revoke|suspend|resume|plan|limits|list`. */
export function addCompanyCommands(segue: Command, context: CliContext): void {
  const { print, printList, withDeployment } = context;
  const company = segue.command('company');

  addLimitOptions(company.command('add'))
    .description('add a company and print its first key; the key is shown only once')
    .argument('<company id>', '1 to 64 of A-Z a-z 0-9 _ -', parseCompanyId)
    .option('--scopes <scopes>', `what the key may do: any of ${SCOPES.join()}`, parseScopes, DEFAULT_SCOPES)
    .option('--canary', FOR_CANARY)
    .action(async (companyId: string, options: IssueOptions) => {
      const key = await withDeployment(
        (deployment) =>
          issueKey(deployment, companyId, options.canary, async (newKey) => {
            await deployment.prepareCompany(companyId);
            return deployment.companies.add(companyId, newKey, keyOptions(options));
          }),
        { createsStore: true },
      );
      print({ companyId, ...printableKey(key), ...limitsOf(options) }, formatKey(key, options));
    });

  addLimitOptions(company.command('rotate'))
    .description(
      'give a company a second key and print it; it is shown only once. The first key stays valid until it expires or you revoke it',
    )
    .argument('<company id>')
    .option('--scopes <scopes>', 'what the key may do; default: the scopes of the first key', parseScopes)
    .option('--canary', FOR_CANARY)
    .action(async (companyId: string, options: IssueOptions) => {
      const { key, first } = await withDeployment(async (deployment) => {
        // Nothing may fail once there is a new key, because it is shown only once. So the first key is read before.
        const keys = await deployment.companies.keys(companyId);
        const key = await issueKey(deployment, companyId, options.canary, (newKey) =>
          deployment.companies.rotate(companyId, newKey, keyOptions(options)),
        );
        return { key, first: keys.find(({ state }) => state !== 'revoked') };
      });
      const next =
        first?.state === 'expired'
          ? `The first key has expired. To revoke it, run: ${SEGUE} company revoke ${first.keyId}\n`
          : `The first key stays valid until it expires or you revoke it: ${SEGUE} company list shows its id.\n`;
      print({ companyId, ...printableKey(key), ...limitsOf(options) }, formatKey(key, options) + next);
    });

  addLimitCommand(company, context);

  company
    .command('revoke')
    .description('end a key; it can never be used again')
    .argument('<key id>', 'the key’s id, which company list shows; it is also the middle part of the key')
    .action(async (keyId: string) => {
      const { companyId, state, counts, names } = await withDeployment(async ({ companies, sources }) => {
        if (await companies.exists(keyId))
          throw new UsageError(`${keyId} is a company: give the id of a key, which company list shows`);
        const revoked = await companies.revoke(keyId);
        const counts = countKeys(await companies.keys(revoked.companyId));
        const names = counts.activeKeys === 0 ? await sourceNames(sources, revoked.companyId) : [];
        return { ...revoked, counts, names };
      });
      const doors = state === 'active' ? liveSources(companyId, names) : suspendedSources(names);
      const text = `Revoked. ${REVOKED_WITHIN}\nThe company ${companyId} has ${formatCounts(counts)}.\n${doors}`;
      print({ keyId, companyId, companyState: state, ...counts, liveSources: names }, text);
    });

  company
    .command('suspend')
    .description('refuse every request of a company until it is resumed')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const change = await withDeployment(({ companies }) => companies.setState(companyId, 'suspended'));
      const done = change === 'changed' ? 'Suspended.' : 'The company is already suspended.';
      const next = `${SEGUE} company resume ${companyId}`;
      print({ companyId, state: 'suspended' }, `${done} ${SUSPENDED_WITHIN}\nTo resume it, run: ${next}\n`);
    });

  company
    .command('resume')
    .description('end the suspension of a company; its keys and webhook sources work again')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const change = await withDeployment(({ companies }) => companies.setState(companyId, 'active'));
      const done = change === 'changed' ? 'Resumed.' : 'The company is not suspended.';
      const next = `${SEGUE} dead-letters redrive --company ${companyId}`;
      const text = `${done} Its keys and sources work again within 60 seconds.\nTo retry its dead letters, run: ${next}\n`;
      print({ companyId, state: 'active' }, text);
    });

  addPlanCommand(company, context);
  addDailyLimitsCommand(company, context);

  company
    .command('list')
    .description('show the companies and their keys')
    .action(() => withDeployment(({ companies }) => printList(companies.list(), COMPANIES)));
}

/** Returns the limits of a new key, with its scopes if the options name them. */
function keyOptions(options: IssueOptions) {
  return { ...limitsOf(options), ...(options.scopes && { scopes: options.scopes }) };
}

const parseScopes = scopesParser(SCOPES, `Give one or more of ${SCOPES.join()}, separated by commas.`);

const MAX_ATTEMPTS = 3;
const FOR_CANARY = 'give the key to the canary of the stack instead of printing it';

/** A new API key, with the state of its company. */
interface IssuedKey extends NewKey {
  readonly state: CompanyState;
  /** Whether the key was given to the canary, so that nobody else needs it. */
  readonly isOfCanary: boolean;
}

/**
 * Creates an API key and saves it. If the outcome of saving is unknown, it saves the same key again.
 * @param isOfCanary whether to give the key to the canary of the deployment
 */
async function issueKey(
  deployment: Pick<Deployment, 'canary'>,
  companyId: string,
  isOfCanary = false,
  save: (key: NewKey) => Promise<CompanyState>,
): Promise<IssuedKey> {
  const key = createApiKey();
  // A deployment without a canary fails here, before there is a key.
  const canary = isOfCanary ? deployment.canary : undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      const state = await save(key);
      await canary?.useKey({ companyId, apiKey: key.apiKey }).catch((cause: unknown) => {
        const next = `${SEGUE} company rotate ${companyId} --canary`;
        throw new CliError(
          `the company has the key ${key.keyId}, but the secret of the canary could not be written. Revoke the key, and run: ${next}`,
          { cause },
        );
      });
      return { ...key, state, isOfCanary };
    } catch (error) {
      const isUnknown = error instanceof Problem && error.name === 'outcome-unknown';
      if (!isUnknown || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Returns a key as JSON has it. The key of the canary is in its secret only. */
function printableKey({ apiKey, keyId, state, isOfCanary }: IssuedKey) {
  return { keyId, ...(isOfCanary ? {} : { apiKey }), companyState: state };
}

function formatKey({ apiKey, keyId, state, isOfCanary }: IssuedKey, options: LimitOptions): string {
  const limits = limitsOf(options);
  const limited = Object.keys(limits).length > 0 ? `${formatLimits(limits)}\n` : '';
  if (isOfCanary) return `The canary has the key ${keyId}, and uses it from its next run on.\n${limited}`;
  const validity = state === 'active' ? 'The key is valid from now on' : 'The key is valid once the company is resumed';
  return `API key: ${apiKey}\n${validity}, and shown only this once.\n${limited}`;
}

/** Counts the keys of a company that are not revoked: those that have expired, and the others. */
function countKeys(keys: Company['keys']) {
  const left = keys.filter(({ state }) => state !== 'revoked');
  const expiredKeys = left.filter(({ state }) => state === 'expired').length;
  return { activeKeys: left.length - expiredKeys, expiredKeys };
}

function formatCounts({ activeKeys, expiredKeys }: ReturnType<typeof countKeys>): string {
  const active = activeKeys === 0 ? 'no active key' : countOf(activeKeys, 'active key');
  return expiredKeys === 0 ? active : `${active}, and ${countOf(expiredKeys, 'expired key')}`;
}

/** Returns the names of a company's webhook sources. Sources work without an API key. */
async function sourceNames(sources: Pick<SourceAdmin, 'list'>, companyId: string): Promise<string[]> {
  const names = await Array.fromAsync(sources.list(companyId), ({ name }) => name);
  return names.sort();
}

function liveSources(companyId: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  return [
    `Its webhook sources are still live: ${names.join(', ')}`,
    `To remove one, run: ${SEGUE} source remove <name>`,
    `To refuse every request of the company, run: ${SEGUE} company suspend ${companyId}`,
    '',
  ].join('\n');
}

function suspendedSources(names: readonly string[]): string {
  return `It is suspended${names.length > 0 ? `, and so are its webhook sources: ${names.join(', ')}` : ''}.\n`;
}

/** A row of the list of companies: a key, or the state of a company. */
interface Row extends Partial<Company['keys'][number]> {
  readonly companyId: string;
  readonly since?: string | undefined;
  readonly is: string;
}

const COMPANIES = tableOfRows(
  'No companies.',
  {
    COMPANY: ({ companyId }: Row) => companyId,
    KEY: ({ keyId }) => keyId,
    STATE: ({ is }) => is,
    SCOPES: ({ scopes }) => scopes?.join(),
    CREATED: ({ createdAtUtc }) => createdAtUtc,
    USED: ({ usedAtUtc }) => usedAtUtc?.replace(/:00\.000Z$/, 'Z'),
    EXPIRES: ({ expiresAtUtc }) => expiresAtUtc,
    NETWORKS: ({ networks }) => networks?.join(),
    ENDED: ({ revokedAtUtc, since }) => revokedAtUtc ?? since,
  },
  rowsOf,
);

/** Returns a row for each key of a company. A company that is suspended, or never had a key, has a row of its own. */
function rowsOf({ companyId, state, suspendedAtUtc, keys }: Company): Row[] {
  const suspended = state === 'suspended' ? [{ companyId, is: state, since: suspendedAtUtc }] : [];
  if (keys.length === 0) return suspended.length > 0 ? suspended : [{ companyId, is: 'no stored keys' }];
  return [...suspended, ...keys.map((key) => ({ companyId, is: key.state, ...key }))];
}
