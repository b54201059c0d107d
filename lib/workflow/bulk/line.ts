import * as z from 'zod/mini';
import { rule } from '../../contract/fields.ts';
import { IDEMPOTENCY_KEY } from '../../contract/idempotency-key.ts';
import { parseJson } from '../../contract/json.ts';
import { LIMITS } from '../../contract/limits.ts';
import { fieldsOf } from '../../contract/pointer.ts';
import { Problem } from '../../contract/problem.ts';
import { COMMAND, COMMAND_RULE, type Command, commandIn, namesAtCommand } from '../../service/commands/command.ts';
import { readBy } from '../../service/commands/read.ts';
import { digestOf } from './identity.ts';
import type { ManifestFile, Place } from './manifest.ts';

/** What a line asks for, and what it is recognised by: a key of its own, or the digest of its content. */
export type Line = { readonly command: Command } & Identity;
export type Identity = { readonly idempotencyKey: string } | { readonly digest: string };

const isKey = rule<string>('not-allowed', 'An idempotency key has 1 to 255 visible ASCII characters.', (key) =>
  IDEMPOTENCY_KEY.test(key),
);
const LineSchema = z
  .strictObject({ ...COMMAND, idempotencyKey: z.optional(z.nullable(z.string().check(isKey))) })
  .check(COMMAND_RULE);

/**
 * Reads a line of a manifest.
 * @throws {Problem} `too-large`, `malformed-json`, `invalid-parameter` with every fault
 */
export async function readLine(file: ManifestFile, place: Pick<Place, 'offset' | 'bytes'>): Promise<Line> {
  if (place.bytes > LIMITS.bodyBytes) {
    throw new Problem('too-large', { detail: `The line has more than ${LIMITS.bodyBytes} bytes.` });
  }
  const value = parseJson(await file.read(place), { name: 'line' });
  const read = readBy(LineSchema, value, namesAt, 'The line is not a command, and nothing was done.');
  return { command: commandIn(read), ...identityOf(value) };
}

function namesAt(path: readonly PropertyKey[]) {
  const { known, serviceOnly } = namesAtCommand(path);
  return { known: path.length === 0 ? [...known, 'idempotencyKey'] : known, serviceOnly };
}

/** What a line is recognised by. */
export function identityOf(value: unknown): Identity {
  const { idempotencyKey, ...command } = fieldsOf(value) ?? {};
  if (typeof idempotencyKey === 'string') return { idempotencyKey };
  return { digest: digestOf(command) };
}
