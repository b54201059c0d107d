import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { IDEMPOTENCY_KEY, rule, withoutNulls } from '../../contract/fields.ts';
import { parseJson } from '../../contract/json.ts';
import { LIMITS } from '../../contract/limits.ts';
import { fieldsOf } from '../../contract/pointer.ts';
import { Problem } from '../../contract/problem.ts';
import { retentionMsOf } from '../../contract/retentions.ts';
import {
  COMMAND,
  COMMAND_RULES,
  type Command,
  commandFieldNames,
  commandIn,
  PROJECT_FIELDS,
  parseInput,
} from '../../service/command.ts';
import type { ByteRange, ManifestFile } from './manifest.ts';

/** A parsed line of a manifest. */
export interface ManifestLine {
  readonly command: Command;
  /** The line's `idempotencyKey`; `undefined` if it has none. Then `digest` identifies the line. */
  readonly ownKey: string | undefined;
  /** The hash of the line's command, as `digestOf` returns it. */
  readonly digest: string;
}

/** How long the result of a line is kept, in milliseconds: 90 days. Until then, repeating the run repeats no line. */
export const LINE_RETENTION_MS = retentionMsOf('bulkLine');

const isKey = rule<string>('not-allowed', 'The idempotency key must have 1 to 255 visible ASCII characters.', (key) =>
  IDEMPOTENCY_KEY.test(key),
);
const LineSchema = z
  .strictObject({ ...COMMAND, idempotencyKey: z.optional(z.nullable(z.string().check(isKey))) })
  .check(...COMMAND_RULES);

/**
 * Reads and parses one line of a manifest.
 * @throws {Problem} `too-large`, `malformed-json`, `invalid-parameter` with every fault
 */
export async function readLine(file: ManifestFile, range: ByteRange): Promise<ManifestLine> {
  if (range.bytes > LIMITS.bodyBytes) {
    throw new Problem('too-large', { detail: `The line has more than ${LIMITS.bodyBytes} bytes.` });
  }
  const value = parseJson(await file.read(range), { name: 'line', isLine: true });
  const read = parseInput(LineSchema, value, namesAt, 'The line is not a valid command. Segue did nothing.');
  return { command: commandIn(read), ownKey: ownKeyOf(value), digest: digestOf(value) };
}

function namesAt(path: readonly PropertyKey[]) {
  const { known, serviceOnly } = commandFieldNames(path);
  return { known: path.length === 0 ? [...known, 'idempotencyKey'] : known, serviceOnly };
}

/** Returns the `idempotencyKey` of a parsed line; `undefined` if it is absent or not a string. */
export function ownKeyOf(value: unknown): string | undefined {
  const key = fieldsOf(value)?.['idempotencyKey'];
  return typeof key === 'string' ? key : undefined;
}

/**
 * Returns the SHA-256 of a line's command, in base64url. The order of fields, white space, fields that are null and the
 * start date make no difference. The start date is left out because a later attempt needs a new one.
 */
export function digestOf(value: unknown): string {
  const { idempotencyKey: _, ...command } = fieldsOf(value) ?? {};
  return createHash('sha256')
    .update(canonicalJson(withoutNulls(withoutStart(command))))
    .digest('base64url');
}

function withoutStart(command: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(command).map(([name, value]) => {
    const project = PROJECT_FIELDS.includes(name) && !Array.isArray(value) ? fieldsOf(value) : undefined;
    if (!project) return [name, value];
    const { startDateUtc: _, ...fields } = project;
    return [name, fields];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the idempotency key of a line that has no `idempotencyKey`. The key contains a space, so no key sent over
 * HTTP equals it.
 * @param occurrence the line's number among the lines with an equal command, from 1
 */
export function lineKey(run: string, digest: string, occurrence: number): string {
  return `bulk ${JSON.stringify([run, digest, occurrence])}`;
}
