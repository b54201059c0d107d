import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';
import { Problem } from '../lib/contract/problem.ts';
import { SCOPES, type Scope } from '../lib/contract/routes.ts';
import { createApiKey } from '../lib/credentials/api-key.ts';
import type { Company, NewKey } from '../lib/credentials/companies.ts';
import type { CompanyState } from '../lib/credentials/company-record.ts';
import type { SourceAdmin } from '../lib/webhooks/source-admin.ts';
import { type Place, stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

/** Policies of the authorizer are kept for 30 seconds. */
const REVOKED_WITHIN = 'It deletes nothing from now on, and stops everywhere within 30 seconds.';
const SUSPENDED_WITHIN = 'It deletes nothing from now on. Every other request stops within 60 seconds.';

/** `segue company add|rotate|revoke|suspend|resume|list` */
export function addCompanyCommands(segue: Command, surroundings: Surroundings): void {
  const { out } = surroundings;
  const inPlace = <T>(work: (place: Place) => Promise<T>) => withPlace(surroundings, stackIn(segue), work);
  const company = segue.command('company').description('companies and their keys');

  company
    .command('add')
    .description('give a new company its key, which is shown this once')
    .argument('<company id>', '1 to 64 of A-Z a-z 0-9 _ -')
    .option('--scopes <scopes>', `what the key may do: of ${SCOPES.join()}`, readScopes, SCOPES)
    .action(async (companyId: string, options: { scopes: readonly Scope[] }) => {
      const key = await inPlace(({ companies, prepare }) =>
        issue(async (made) => {
          await prepare(companyId);
          return companies.add(companyId, made, options.scopes);
        }),
      );
      out(shown(key));
    });

  company
    .command('rotate')
    .description('give a company a second key, which is shown this once; the first stays good until it is revoked')
    .argument('<company id>')
    .option('--scopes <scopes>', 'what the key may do, if not the same', readScopes)
    .action(async (companyId: string, options: { scopes?: readonly Scope[] }) => {
      const key = await inPlace(({ companies }) => issue((made) => companies.rotate(companyId, made, options.scopes)));
      out(`${shown(key)}The key before is good until you revoke it: segue company list shows its id.\n`);
    });

  company
    .command('revoke')
    .description('end a key for ever')
    .argument('<key id>', 'as company list shows it; it is also the middle part of the key')
    .action(async (keyId: string) => {
      const revoked = await inPlace(async ({ companies, sources }) => {
        const company = await companies.revoke(keyId);
        return { ...company, names: company.activeKeys === 0 ? await sourcesOf(sources, company.companyId) : [] };
      });
      const { companyId, state, activeKeys, names } = revoked;
      const also = state === 'active' ? stillLive(companyId, names) : alsoSuspended(names);
      const left = activeKeys === 1 ? '1 active key' : `${activeKeys} active keys`;
      out(`Revoked. ${REVOKED_WITHIN}\nThe company ${companyId} has ${left}.\n${also}`);
    });

  company
    .command('suspend')
    .description('refuse a company at every door until it is resumed')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const change = await inPlace(({ companies }) => companies.setState(companyId, 'suspended'));
      const done = change === 'changed' ? 'Suspended.' : 'The company was suspended before.';
      out(`${done} ${SUSPENDED_WITHIN}\nTo let it in again: segue company resume ${companyId}\n`);
    });

  company
    .command('resume')
    .description('let a suspended company in again, with the keys and webhook sources that it had')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const change = await inPlace(({ companies }) => companies.setState(companyId, 'active'));
      const done = change === 'changed' ? 'Resumed.' : 'The company is not suspended.';
      const next = `segue dead-letters redrive --company ${companyId}`;
      out(
        `${done} Keys and sources that refused it work again within 60 seconds.\nTo carry out its dead letters: ${next}\n`,
      );
    });

  company
    .command('list')
    .description('show the companies and their keys')
    .option('--json', 'one JSON object a line')
    .action((options: { json?: true }) =>
      inPlace(async ({ companies }) => {
        for await (const entry of companies.list()) out(options.json ? `${JSON.stringify(entry)}\n` : lines(entry));
      }),
    );
}

const Scopes = z.array(z.enum(SCOPES)).check(z.minLength(1));

function readScopes(text: string): readonly Scope[] {
  const read = Scopes.safeParse(text.split(','));
  if (!read.success) throw new InvalidArgumentError(`Give one or more of ${SCOPES.join()}, with commas between.`);
  return SCOPES.filter((scope) => read.data.includes(scope));
}

/** More than a store that is only busy needs. */
const MOST_ATTEMPTS = 3;

/** A key as it was made, in the state of its company. */
interface IssuedKey extends NewKey {
  readonly state: CompanyState;
}

/** Makes a key and repeats the request with it while it cannot be told whether the store took it. */
async function issue(request: (key: NewKey) => Promise<CompanyState>): Promise<IssuedKey> {
  const key = createApiKey();
  for (let attempt = 1; ; attempt++) {
    try {
      return { ...key, state: await request(key) };
    } catch (error) {
      const isUnknown = error instanceof Problem && error.name === 'outcome-unknown';
      if (!isUnknown || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

function shown({ apiKey, state }: IssuedKey): string {
  const good = state === 'active' ? 'It is good from now on' : 'It is good once the company is resumed';
  return `API key: ${apiKey}\n${good}, and shown this once.\n`;
}

/** The webhook sources of a company, which need no key. */
async function sourcesOf(sources: Pick<SourceAdmin, 'list'>, companyId: string): Promise<string[]> {
  const names: string[] = [];
  for await (const source of sources.list()) if (source.companyId === companyId) names.push(source.name);
  return names.sort();
}

function stillLive(companyId: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  return [
    `Its webhook sources are still live: ${names.join(', ')}`,
    'To end one: segue source remove <name>',
    `To refuse the company at every door: segue company suspend ${companyId}`,
    '',
  ].join('\n');
}

function alsoSuspended(names: readonly string[]): string {
  return `It is suspended${names.length > 0 ? `, and its webhook sources are too: ${names.join(', ')}` : ''}.\n`;
}

/**
 * A line for each key: company, key id, state of the key, scopes, creation and revocation. A suspended company has a
 * line of its own before them. A company that never had a key is a line too.
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
