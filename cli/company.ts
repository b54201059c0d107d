import type { Command } from 'commander';
import { Problem } from '../lib/contract/problem.ts';
import { DEFAULT_SCOPES, SCOPES, type Scope } from '../lib/contract/routes.ts';
import { createApiKey } from '../lib/credentials/api-key.ts';
import type { Company, NewKey } from '../lib/credentials/companies.ts';
import type { CompanyState } from '../lib/credentials/company-record.ts';
import type { SourceAdmin } from '../lib/webhooks/source-admin.ts';
import type { CliContext } from './deployment.ts';
import { scopesParser } from './io.ts';

/**
 * The effect of a revocation, for the user. 30 seconds is the time for which the gateway caches an authorizer's
 * decision.
 */
const REVOKED_WITHIN =
  'The key can no longer delete anything. All its other requests are refused after 30 seconds at the latest.';
const SUSPENDED_WITHIN =
  'The company can no longer delete anything. All its other requests are refused after 60 seconds at the latest.';

/** Adds the commands `segue company add|rotate|revoke|suspend|resume|list`. */
export function addCompanyCommands(segue: Command, { out, withDeployment }: CliContext): void {
  const company = segue.command('company').description('manage companies and their keys');

  company
    .command('add')
    .description('add a company and print its first key; the key is shown only once')
    .argument('<company id>', '1 to 64 of A-Z a-z 0-9 _ -')
    .option('--scopes <scopes>', `what the key may do: any of ${SCOPES.join()}`, parseScopes, DEFAULT_SCOPES)
    .action(async (companyId: string, options: { scopes: readonly Scope[] }) => {
      const key = await withDeployment(({ companies, prepareCompany }) =>
        issueKey(async (newKey) => {
          await prepareCompany(companyId);
          return companies.add(companyId, newKey, options.scopes);
        }),
      );
      out(formatKey(key));
    });

  company
    .command('rotate')
    .description(
      'give a company a second key and print it; it is shown only once. The first key stays valid until you revoke it',
    )
    .argument('<company id>')
    .option('--scopes <scopes>', 'what the key may do; default: the scopes of the first key', parseScopes)
    .action(async (companyId: string, options: { scopes?: readonly Scope[] }) => {
      const key = await withDeployment(({ companies }) =>
        issueKey((newKey) => companies.rotate(companyId, newKey, options.scopes)),
      );
      out(`${formatKey(key)}The first key stays valid until you revoke it: segue company list shows its id.\n`);
    });

  company
    .command('revoke')
    .description('end a key; it can never be used again')
    .argument('<key id>', 'the key’s id, which company list shows; it is also the middle part of the key')
    .action(async (keyId: string) => {
      const { companyId, state, activeKeys, names } = await withDeployment(async ({ companies, sources }) => {
        const revoked = await companies.revoke(keyId);
        return { ...revoked, names: revoked.activeKeys === 0 ? await sourceNames(sources, revoked.companyId) : [] };
      });
      const left = activeKeys === 1 ? '1 active key' : `${activeKeys} active keys`;
      const doors = state === 'active' ? liveSources(companyId, names) : suspendedSources(names);
      out(`Revoked. ${REVOKED_WITHIN}\nThe company ${companyId} has ${left}.\n${doors}`);
    });

  company
    .command('suspend')
    .description('refuse every request of a company until it is resumed')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const change = await withDeployment(({ companies }) => companies.setState(companyId, 'suspended'));
      const done = change === 'changed' ? 'Suspended.' : 'The company is already suspended.';
      out(`${done} ${SUSPENDED_WITHIN}\nTo resume it, run: segue company resume ${companyId}\n`);
    });

  company
    .command('resume')
    .description('end the suspension of a company; its keys and webhook sources work again')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const change = await withDeployment(({ companies }) => companies.setState(companyId, 'active'));
      const done = change === 'changed' ? 'Resumed.' : 'The company is not suspended.';
      const next = `segue dead-letters redrive --company ${companyId}`;
      out(`${done} Its keys and sources work again within 60 seconds.\nTo retry its dead letters, run: ${next}\n`);
    });

  company
    .command('list')
    .description('show the companies and their keys')
    .option('--json', 'print one JSON object per line')
    .action((options: { json?: true }) =>
      withDeployment(async ({ companies }) => {
        for await (const entry of companies.list()) out(options.json ? `${JSON.stringify(entry)}\n` : lines(entry));
      }),
    );
}

const parseScopes = scopesParser(SCOPES, `Give one or more of ${SCOPES.join()}, separated by commas.`);

const MAX_ATTEMPTS = 3;

/** A new API key, with the state of its company. */
interface IssuedKey extends NewKey {
  readonly state: CompanyState;
}

/** Creates an API key and saves it. If the outcome of saving is unknown, it saves the same key again. */
async function issueKey(save: (key: NewKey) => Promise<CompanyState>): Promise<IssuedKey> {
  const key = createApiKey();
  for (let attempt = 1; ; attempt++) {
    try {
      return { ...key, state: await save(key) };
    } catch (error) {
      const isUnknown = error instanceof Problem && error.name === 'outcome-unknown';
      if (!isUnknown || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function formatKey({ apiKey, state }: IssuedKey): string {
  const validity = state === 'active' ? 'The key is valid from now on' : 'The key is valid once the company is resumed';
  return `API key: ${apiKey}\n${validity}, and shown only this once.\n`;
}

/** Returns the names of a company's webhook sources. Sources work without an API key. */
async function sourceNames(sources: Pick<SourceAdmin, 'list'>, companyId: string): Promise<string[]> {
  const names: string[] = [];
  for await (const source of sources.list()) if (source.companyId === companyId) names.push(source.name);
  return names.sort();
}

function liveSources(companyId: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  return [
    `Its webhook sources are still live: ${names.join(', ')}`,
    'To remove one, run: segue source remove <name>',
    `To refuse every request of the company, run: segue company suspend ${companyId}`,
    '',
  ].join('\n');
}

function suspendedSources(names: readonly string[]): string {
  return `It is suspended${names.length > 0 ? `, and so are its webhook sources: ${names.join(', ')}` : ''}.\n`;
}

/**
 * Formats a company for the user, with one line for each key: company, key id, state of the key, scopes, creation and
 * revocation. A suspended company gets an extra first line. A company that never had a key gets one line.
 */
function lines({ companyId, state, suspendedAtUtc, keys }: Company): string {
  const own = state === 'suspended' ? [[companyId, state, suspendedAtUtc]] : [];
  const ofKeys = keys.map(({ keyId, state, scopes, createdAtUtc, revokedAtUtc }) => [
    companyId,
    keyId,
    state,
    scopes.join(),
    createdAtUtc,
    revokedAtUtc,
  ]);
  return [...own, ...(keys.length === 0 ? [[companyId, 'no keys']] : ofKeys)]
    .map((columns) => `${columns.filter(Boolean).join('  ')}\n`)
    .join('');
}
