import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { isProblemType, type ProblemType } from '../contract/problems.ts';
import { fingerprintOf } from '../idempotency/request-record.ts';
import type { Command } from '../service/command.ts';
import { KeptFaults, keptFaults } from './kept-faults.ts';

/** A command of a delivery, without its content. */
export const CommandRecord = z.discriminatedUnion('state', [
  /** Nothing was done for it yet. */
  z.strictObject({ state: z.literal('waiting'), id: z.string() }),
  /** It may have been carried out: an attempt was cut off, or its outcome is unknown. */
  z.strictObject({ state: z.literal('open'), id: z.string() }),
  /** The result has ids and numbers; null if the project was deleted since. */
  z.strictObject({ state: z.literal('done'), id: z.string(), result: z.unknown() }),
  /** Nothing was done for it. */
  z.strictObject({
    state: z.literal('refused'),
    id: z.string(),
    problem: z.custom<ProblemType>((value) => typeof value === 'string' && isProblemType(value)),
    detail: z.string(),
    /** With pointers into the command. All records of a delivery have at most `LIMITS.faults` of them together. */
    errors: z.optional(KeptFaults),
  }),
]);
export type CommandRecord = z.infer<typeof CommandRecord>;

/**
 * The records of a message's commands. A command is known again by its content, and among equal ones by its number: so it
 * keeps its key and its result where a corrected mapping gives the commands in another order, or more of them.
 * @param before the records of the attempt before
 * @throws {Problem} `idempotency-key-reused` if a command that may have been carried out is no longer among them: the
 *   mapping has changed it, and to carry out the changed one could do the same thing twice
 */
export function recordsOf(commands: readonly Command[], before: readonly CommandRecord[] = []): CommandRecord[] {
  const known = new Map(before.map((record) => [record.id, record]));
  const equal = new Map<string, number>();
  const records = commands.map((command): CommandRecord => {
    const hash = fingerprintOf(command);
    const number = (equal.get(hash) ?? 0) + 1;
    equal.set(hash, number);
    const id = `${hash}.${number}`;
    return known.get(id) ?? { state: 'waiting', id };
  });
  const ids = new Set(records.map(({ id }) => id));
  const lost = before.findIndex((record) => mayBeDone(record) && !ids.has(record.id));
  if (lost === -1) return records;
  throw new Problem('idempotency-key-reused', {
    detail: `The mapping no longer gives command ${lost + 1}, which was carried out or may have been: nothing more was done.`,
  });
}

export function mayBeDone({ state }: CommandRecord): boolean {
  return state === 'done' || state === 'open';
}

/**
 * The record of a refused command.
 * @param others the records of the other commands, whose faults count for the limit
 */
export function refusedRecord(id: string, problem: Problem, others: readonly CommandRecord[]): CommandRecord {
  const used = others.reduce((sum, record) => sum + (record.state === 'refused' ? (record.errors?.length ?? 0) : 0), 0);
  const errors = keptFaults(problem.occurrence.errors, LIMITS.faults - used);
  return { state: 'refused', id, problem: problem.name, detail: problem.message, ...(errors && { errors }) };
}

/** The records while an attempt is at work: if it is cut off, it may have carried out every command that was not done. */
export function begun(records: readonly CommandRecord[]): CommandRecord[] {
  return records.map((record) => (record.state === 'done' ? record : { state: 'open', id: record.id }));
}

/** The records at a redrive: refused commands wait again. */
export function reopened(records: readonly CommandRecord[]): CommandRecord[] {
  return records.map((record) => (record.state === 'refused' ? { state: 'waiting', id: record.id } : record));
}
