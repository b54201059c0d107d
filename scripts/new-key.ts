import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { SCOPES, type Scope } from '../lib/contract/routes.ts';
import { createApiKey, hashApiKey } from '../lib/credentials/api-key.ts';
import { COMPANY_ID, type KeyRecord, keyOf } from '../lib/credentials/keys.ts';

/**
 * `npm run new-key -- <company id> [--scopes create,read,delete]`: makes an API key, shows it once, and prints the command
 * that puts its hash into the table of a stack. Nothing is sent anywhere.
 */
const Arguments = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  scopes: z.array(z.enum(SCOPES)).check(z.minLength(1)),
});

const { companyId, scopes } = readArguments(process.argv.slice(2));
const { keyId, apiKey } = createApiKey();
console.log(`API key: ${apiKey}

It is shown this once. The command that makes it good for the company ${companyId}, with TABLE set to the TableName of the stack:

${putItemCommand(companyId, keyId, {
  hash: hashApiKey(apiKey),
  scopes,
  state: 'active',
  createdAtUtc: new Date().toISOString(),
})}`);

/** A command for sh. It holds nothing secret, and refuses to write over a key that is there. */
function putItemCommand(companyId: string, keyId: string, record: KeyRecord): string {
  const { partition, sort } = keyOf(companyId, keyId);
  const item = {
    partition: { S: partition },
    sort: { S: sort },
    version: { N: '1' },
    data: { S: JSON.stringify(record) },
  };
  // A name in place of the attribute's own, which is a reserved word of DynamoDB's expressions.
  return [
    'aws dynamodb put-item --table-name "$TABLE"',
    `--item '${JSON.stringify(item)}'`,
    "--condition-expression 'attribute_not_exists(#partition)'",
    `--expression-attribute-names '${JSON.stringify({ '#partition': 'partition' })}'`,
  ].join(' ');
}

function readArguments(args: readonly string[]): { readonly companyId: string; readonly scopes: Scope[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { scopes: { type: 'string', default: SCOPES.join() } },
      allowPositionals: true,
    });
    const [companyId, ...more] = positionals;
    if (more.length === 0) return Arguments.parse({ companyId, scopes: [...new Set(values.scopes.split(','))] });
  } catch {
    // Told below, without what was typed: somebody may take a key for an argument.
  }
  console.error(
    `usage: npm run new-key -- <company id> [--scopes ${SCOPES.join()}], the id of letters, digits, "_" and "-"`,
  );
  process.exit(1);
}
