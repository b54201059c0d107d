import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { fingerprintOf } from '../idempotency/identity.ts';
import type { Command, CommandResult } from '../service/command.ts';
import type { Deadline } from '../service/deadline.ts';
import { type CommandRecord, storedFaults } from './delivery-records.ts';
import type { FailedCommand } from './mapping/commands.ts';

/**
 * Returns the record of each command of a message. The id of a record is a hash of the command, and a number that tells
 * equal commands apart. If the previous attempt had a record with this id, the command keeps that record. So it keeps
 * its idempotency key and its result if a corrected mapping returns the commands in another order, or more commands.
 * @param before the records of the previous attempt
 * @throws {Problem} `idempotency-key-reused` if a command that may have run is missing. The mapping may have changed
 *   that command, and running the changed command could repeat its effect.
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
    detail: `The mapping no longer returns command ${lost + 1} of the earlier attempt, which ran or may have run. A corrected mapping must still return it unchanged. Segue ran no command in this attempt.`,
  });
}

/** Whether the command of a record has run, or may have. */
export function mayHaveRun({ state }: CommandRecord): boolean {
  return state === 'done' || state === 'open';
}

/** The result of running the commands of a delivery in one attempt. */
export interface CommandsResult {
  /** The records after the attempt, one for each command. */
  readonly records: readonly CommandRecord[];
  /** The commands that were refused. They changed nothing, and they alone cause no further attempt. */
  readonly refused: readonly FailedCommand[];
  /** Why the attempt stopped early: a command failed and may succeed later, or the time was over. */
  readonly stopped?: FailedCommand | 'time';
  /** Whether a command became done or refused in this attempt. */
  readonly hasProgress: boolean;
}

/** The time that one command may need, in milliseconds. If less time is left, no further command starts. */
const COMMAND_MS = 10_000;

/**
 * Runs the commands that are not done, in order. If a command is refused, the next one still runs. If a command fails
 * but may succeed later, the attempt stops, so that no later command overtakes it.
 *
 * Commands that an earlier attempt refused run last, because they may succeed now. If no time is left for them, they
 * keep the problem and the faults of their record.
 * @param run runs one command; the second argument is the id of its record
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

/** Returns the commands that are not done. Those that an earlier attempt refused are at the end. */
function inOrder(commands: readonly Command[], records: readonly CommandRecord[]) {
  const left = commands.flatMap((command, index) => {
    const record = records[index];
    return record && record.state !== 'done' ? [{ index, command, record }] : [];
  });
  return left.sort((one, other) => Number(one.record.state === 'refused') - Number(other.record.state === 'refused'));
}

/**
 * Makes the record of a refused command. All records of a delivery share one limit of faults.
 * @param others the records of the other commands
 */
function refusedRecord(id: string, problem: Problem, others: readonly CommandRecord[]): CommandRecord {
  const used = others.reduce((sum, record) => sum + ('errors' in record ? (record.errors?.length ?? 0) : 0), 0);
  const errors = storedFaults(problem.occurrence.errors, LIMITS.faults - used);
  return { state: 'refused', id, problem: problem.name, detail: problem.message, ...(errors && { errors }) };
}

/** Returns the error if it is a problem, and an `internal-error` otherwise. */
export function problemOf(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem(
        'internal-error',
        { detail: 'Segue could not finish the attempt. The operator can find the cause by the delivery id.' },
        { cause: error },
      );
}
