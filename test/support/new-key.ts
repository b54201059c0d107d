import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** What `npm run new-key` prints. */
export async function printNewKey(...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, ['scripts/new-key.ts', ...args], { cwd: ROOT })).stdout;
}

/** The API key that was printed. */
export function apiKeyIn(printed: string): string {
  return z.string().parse(/^API key: (seg_\w+)$/m.exec(printed)?.[1]);
}

const Item = z.record(z.string(), z.union([z.strictObject({ S: z.string() }), z.strictObject({ N: z.string() })]));
const Json = z.pipe(
  z.string(),
  z.transform((text): unknown => JSON.parse(text)),
);
const PutItem = z.strictObject({
  '--table-name': z.string(),
  '--item': z.pipe(Json, Item),
  '--condition-expression': z.string(),
  '--expression-attribute-names': z.pipe(Json, z.record(z.string(), z.string())),
});
export type PutItem = z.infer<typeof PutItem>;

/** What the printed command asks of the AWS CLI: a shell reads it, with a function in the CLI's place. */
export async function putItemIn(printed: string, table: string): Promise<PutItem> {
  const [command = ''] = /^aws .*$/m.exec(printed) ?? [];
  const script = `aws() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = await run('sh', ['-c', script], { env: { TABLE: table } });
  const [service, operation, ...options] = stdout.split('\0').slice(0, -1);
  if (service !== 'dynamodb' || operation !== 'put-item') throw new Error(`This is no put-item: ${command}`);
  const pairs = options.flatMap((name, index) => (index % 2 === 0 ? [[name, options[index + 1]]] : []));
  return PutItem.parse(Object.fromEntries(pairs));
}
