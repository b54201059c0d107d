import type { Fault } from '../../contract/faults.ts';
import { Problem } from '../../contract/problem.ts';
import { type Command, readCommand } from '../../service/command.ts';
import { withMappingHints } from './mapping-hints.ts';

/** The most commands that a mapping may return for one message. */
export const MAX_COMMANDS = 100;

/** The commands that a mapping returned for a message. */
export interface MappedCommands {
  readonly commands: readonly Command[];
  /** Whether the mapping returned an array. If so, the pointer of each fault begins with the index of the command. */
  readonly isList: boolean;
}

/**
 * Reads the result of a mapping: a command, an array of commands, or nothing.
 * @throws {Problem} `invalid-parameter` with the faults of every entry that is not a command
 * @throws {Problem} `mapping-failed` if there are too many commands
 */
export function readCommands(result: unknown): MappedCommands {
  if (result === undefined || result === null) return { commands: [], isList: false };
  if (!Array.isArray(result)) return { commands: [readOne(result)], isList: false };
  if (result.length > MAX_COMMANDS) {
    const detail = `The mapping returns ${result.length} commands for this message. It may return at most ${MAX_COMMANDS}.`;
    throw new Problem('mapping-failed', { detail });
  }
  return { commands: eachCommand(result, readOne), isList: true };
}

function readOne(entry: unknown): Command {
  try {
    return readCommand(entry);
  } catch (error) {
    throw withMappingHints(error);
  }
}

/**
 * Calls `work` for every entry of a list. If `work` throws a problem for an entry, it is still called for the others.
 * @throws {Problem} after the last entry: the first problem, with the faults of all failed entries
 */
export function eachCommand<T, R>(entries: readonly T[], work: (entry: T, index: number) => R): R[] {
  const results: R[] = [];
  const failed: FailedCommand[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      results.push(work(entry, index));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failed.push({ index, problem: error });
    }
  }
  const problem = problemOfCommands(failed, entries.length);
  if (problem) throw problem;
  return results;
}

/** A command that failed, with its index in the list. */
export interface FailedCommand {
  readonly index: number;
  readonly problem: Problem;
}

/**
 * Combines the problems of failed commands into one: the first problem, with the faults of all.
 * @param count the number of all commands
 * @returns `undefined` if no command failed
 */
export function problemOfCommands(failed: readonly FailedCommand[], count: number): Problem | undefined {
  const [first] = failed;
  if (!first) return undefined;
  const others = failed.length === 1 ? '' : ` ${failed.length} of the ${count} commands failed.`;
  const detail = `Command ${first.index + 1} of ${count}: ${first.problem.message}${others}`;
  const { errors: _, ...occurrence } = first.problem.occurrence;
  const errors = failed.flatMap(({ index, problem }) => faultsAt(index, problem));
  return new Problem(first.problem.name, { ...occurrence, detail, ...(errors.length > 0 && { errors }) });
}

function faultsAt(index: number, { occurrence: { errors = [] } }: Problem): Fault[] {
  return errors.map((fault) => ({ ...fault, pointer: `/${index}${fault.pointer}` }));
}
