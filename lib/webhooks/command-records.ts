import * as z from 'zod/mini';
import { type Fault, isFaultCode } from '../contract/faults.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { isProblemType, type ProblemType } from '../contract/problems.ts';
import { fingerprintOf } from '../idempotency/fingerprint.ts';
import type { Command } from '../service/command.ts';

/** A problem type in a stored record. */
export const StoredProblemType = z.custom<ProblemType>((value) => typeof value === 'string' && isProblemType(value));

/** Faults in a stored record. */
export const StoredFaults = z.array(
  z.object({
    pointer: z.string(),
    code: z.custom<Fault['code']>(isFaultCode),
    detail: z.string(),
    allowed: z.exactOptional(z.array(z.union([z.string(), z.number()]))),
  }),
);
export type StoredFaults = z.infer<typeof StoredFaults>;

/** The first faults, up to a limit, in their stored form. `undefined` if there are none. */
export function storedFaults(faults: readonly Fault[] | undefined, limit: number): StoredFaults | undefined {
  const stored = faults
    ?.slice(0, limit)
    .map(({ allowed, ...fault }) => ({ ...fault, ...(allowed && { allowed: [...allowed] }) }));
  return stored && stored.length > 0 ? stored : undefined;
}

/** A command of a delivery, without its content. */
export const CommandRecord = z.discriminatedUnion('state', [
  /** Nothing was done for it yet. */
  z.strictObject({ state: z.literal('waiting'), id: z.string() }),
  /** It may have run: an attempt was cut off, or its outcome is unknown. */
  z.strictObject({ state: z.literal('open'), id: z.string() }),
  /** The result has ids and numbers; null if the project was deleted since. */
  z.strictObject({ state: z.literal('done'), id: z.string(), result: z.unknown() }),
  /** Nothing was done for it. */
  z.strictObject({
    state: z.literal('refused'),
    id: z.string(),
    problem: StoredProblemType,
    detail: z.string(),
    /** With pointers into the command. All records of a delivery have at most `LIMITS.faults` of them together. */
    errors: z.optional(StoredFaults),
  }),
]);
export type CommandRecord = z.infer<typeof CommandRecord>;

/**
 * The records of a message's commands. A command is recognised by its content, and among equal commands by its number. So it
 * keeps its idempotency key and its result if a corrected mapping gives the commands in another order, or more of them.
 * @param before the records of the previous attempt
 * @throws {Problem} `idempotency-key-reused` if a command that may have run is missing: the mapping has changed it, and to run
 *   the changed command could do the same thing twice
 */
export function recordsOf(commands: readonly Command[], before: readonly CommandRecord[] = []): CommandRecord[] {
  const known = new Map(before.map((record) => [record.id, record]));
  const counts = new Map<string, number>();
  const records = commands.map((command): CommandRecord => {
    const hash = fingerprintOf(command);
    const number = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, number);
    const id = `${hash}.${number}`;
    return known.get(id) ?? { state: 'waiting', id };
  });
  const ids = new Set(records.map(({ id }) => id));
  const lost = before.findIndex((record) => mayHaveRun(record) && !ids.has(record.id));
  if (lost === -1) return records;
  throw new Problem('idempotency-key-reused', {
    detail: `The mapping no longer returns command ${lost + 1}, which ran or may have run. Segue did nothing more.`,
  });
}

export function mayHaveRun({ state }: CommandRecord): boolean {
  return state === 'done' || state === 'open';
}

/**
 * The record of a refused command.
 * @param others the records of the other commands, whose faults count towards the limit
 */
export function refusedRecord(id: string, problem: Problem, others: readonly CommandRecord[]): CommandRecord {
  const used = others.reduce((sum, record) => sum + (record.state === 'refused' ? (record.errors?.length ?? 0) : 0), 0);
  const errors = storedFaults(problem.occurrence.errors, LIMITS.faults - used);
  return { state: 'refused', id, problem: problem.name, detail: problem.message, ...(errors && { errors }) };
}

/** The records during an attempt. If it is cut off, it may have run every command that was not done. */
export function openRecords(records: readonly CommandRecord[]): CommandRecord[] {
  return records.map((record) => (record.state === 'done' ? record : { state: 'open', id: record.id }));
}

/** The records at a redrive: refused commands wait again. */
export function redrivenRecords(records: readonly CommandRecord[]): CommandRecord[] {
  return records.map((record) => (record.state === 'refused' ? { state: 'waiting', id: record.id } : record));
}
