import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { fingerprintOf } from '../idempotency/request-record.ts';
import type { Command, CommandResult } from '../service/command.ts';
import type { Deadline } from '../service/deadline.ts';
import { type CommandRecord, storedFaults } from './delivery-records.ts';
import type { FailedCommand } from './mapping/commands.ts';

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

/** The result of an attempt at a delivery's commands. */
export interface CommandsResult {
  readonly records: readonly CommandRecord[];
  /** Nothing was done for these, and another attempt would not help. */
  readonly refused: readonly FailedCommand[];
  /** Why the attempt stopped before the last command: a failure that may pass, or the end of its time. */
  readonly stopped?: FailedCommand | 'time';
  /** Whether more commands are done or refused than before. */
  readonly hasProgress: boolean;
}

/** The time that a command may take, in milliseconds. No further command starts with less. */
const COMMAND_MS = 10_000;

/**
 * Runs the commands that are not done, in order. A refused command does not stop the others. A command that may succeed later
 * does, so that later commands never overtake it. Commands that an earlier attempt refused run last, if there is time left:
 * another try may succeed. Without time, they keep the problem and the faults of their record.
 * @param run runs one command, given with the id of its record
 */
export async function runCommands(
  commands: readonly Command[],
  before: readonly CommandRecord[],
  { deadline, run }: { deadline: Deadline; run: (command: Command, id: string) => Promise<CommandResult> },
): Promise<CommandsResult> {
  const records = [...before];
  const refused: FailedCommand[] = [];
  const resultWith = (stopped?: FailedCommand | 'time'): CommandsResult => ({
    records,
    refused: refused.sort((one, other) => one.index - other.index),
    ...(stopped && { stopped }),
    hasProgress: records.some(({ state }, index) => state !== before[index]?.state && state !== 'open'),
  });
  let isFirst = true;
  for (const { index, command, record } of inOrder(commands, before)) {
    const { id } = record;
    if (!isFirst && deadline.remainingMs() < COMMAND_MS) {
      if (record.state !== 'refused') return resultWith('time');
      const { detail, errors } = record;
      refused.push({ index, problem: new Problem(record.problem, { detail, ...(errors && { errors }) }) });
      continue;
    }
    isFirst = false;
    try {
      records[index] = { state: 'done', id, result: await run(command, id) };
    } catch (error) {
      const problem = problemOf(error);
      const { retryable, outcome } = PROBLEMS[problem.name];
      if (outcome === 'unknown') records[index] = { state: 'open', id };
      if (retryable || outcome === 'unknown') return resultWith({ index, problem });
      if (outcome === 'not-applied') {
        const others = records.filter((_, other) => other !== index);
        records[index] = refusedRecord(id, problem, others);
        refused.push({ index, problem });
      } else {
        // An earlier attempt ran the command, and its project was deleted since.
        records[index] = { state: 'done', id, result: null };
      }
    }
  }
  return resultWith();
}

/** The commands that are not done, with those that were refused before at the end. */
function inOrder(commands: readonly Command[], records: readonly CommandRecord[]) {
  const left = commands.flatMap((command, index) => {
    const record = records[index];
    return record && record.state !== 'done' ? [{ index, command, record }] : [];
  });
  return left.sort((one, other) => Number(one.record.state === 'refused') - Number(other.record.state === 'refused'));
}

/**
 * The record of a refused command.
 * @param others the records of the other commands, whose faults count towards the limit
 */
function refusedRecord(id: string, problem: Problem, others: readonly CommandRecord[]): CommandRecord {
  const used = others.reduce((sum, record) => sum + (record.state === 'refused' ? (record.errors?.length ?? 0) : 0), 0);
  const errors = storedFaults(problem.occurrence.errors, LIMITS.faults - used);
  return { state: 'refused', id, problem: problem.name, detail: problem.message, ...(errors && { errors }) };
}

/** Returns the error if it is a problem, and an `internal-error` otherwise. */
export function problemOf(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem('internal-error', { detail: 'The attempt failed.' }, { cause: error });
}
