import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';
import { Problem } from '../lib/contract/problem.ts';
import { SCOPES, type Scope } from '../lib/contract/routes.ts';
import { createApiKey } from '../lib/credentials/api-key.ts';
import type { Company, NewKey } from '../lib/credentials/companies.ts';
import { type Place, stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

/** How long a revoked key may still be let in: policies of the authorizer are kept so long. */
const REVOKED_WITHIN = 'It deletes nothing from now on, and stops everywhere within 30 seconds.';

/** `segue company add|rotate|revoke|list` */
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
          await companies.add(companyId, made, options.scopes);
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
      const { companyId, activeKeys } = await inPlace(({ companies }) => companies.revoke(keyId));
      const left = activeKeys === 1 ? '1 active key' : `${activeKeys} active keys`;
      out(`Revoked. ${REVOKED_WITHIN}\nThe company ${companyId} has ${left}.\n`);
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

/** Makes a key and repeats the request with it while it cannot be told whether the store took it. */
async function issue(request: (key: NewKey) => Promise<void>): Promise<NewKey> {
  const key = createApiKey();
  for (let attempt = 1; ; attempt++) {
    try {
      await request(key);
      return key;
    } catch (error) {
      const isUnknown = error instanceof Problem && error.name === 'outcome-unknown';
      if (!isUnknown || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

function shown({ apiKey }: NewKey): string {
  return `API key: ${apiKey}\nIt is good from now on, and shown this once.\n`;
}

/** A line for each key: company, key id, state, scopes, creation and revocation. A company that never had one is a line too. */
function lines({ companyId, keys }: Company): string {
  if (keys.length === 0) return `${companyId}  no keys\n`;
  return keys
    .map(({ keyId, state, scopes, createdAtUtc, revokedAtUtc }) =>
      [companyId, keyId, state, scopes.join(), createdAtUtc, revokedAtUtc].filter(Boolean).join('  '),
    )
    .map((line) => `${line}\n`)
    .join('');
}
