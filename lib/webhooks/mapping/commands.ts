import { checkDates } from '../../contract/check.ts';
import type { Fault } from '../../contract/faults.ts';
import { LIMITS } from '../../contract/limits.ts';
import { Problem } from '../../contract/problem.ts';
import { atOnce } from '../../contract/steps.ts';
import { type Command, projectSteps, readCommand } from '../../service/command.ts';
import { requireScopes, type SourceScope } from '../sources.ts';
import { withListHints } from './list-hints.ts';
import { type MappingInput, mapper } from './mapper.ts';

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
  if (!Array.isArray(result)) return { commands: [readCommand(result)], isList: false };
  if (result.length > MAX_COMMANDS) {
    const detail = `The mapping returns ${result.length} commands for this message. It may return at most ${MAX_COMMANDS}.`;
    throw new Problem('mapping-failed', { detail });
  }
  return { commands: eachCommand(result, readCommand), isList: true };
}

/**
 * Calls `work` for every entry of a list. If `work` throws a problem for an entry, it is still called for the others.
 * @throws {Problem} after the last entry: the first problem, with the faults of all failed entries
 */
export function eachCommand<T, R>(entries: readonly T[], work: (entry: T) => R): R[] {
  const results: R[] = [];
  const failed: FailedCommand[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      results.push(work(entry));
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

/** What the commands of a sample are checked by. */
export interface SampleRules {
  /** The time that the mapping sees, in milliseconds since 1970. */
  readonly nowMs: number;
  /** The scopes of the source. If absent, every command is allowed. */
  readonly scopes?: readonly SourceScope[] | undefined;
  /** Whether an `eventUrl` may also be `http://127.0.0.1:<port>`. */
  readonly allowsLoopbackEvents?: boolean | undefined;
}

/**
 * Maps a sample message to commands, and checks the commands without running them. A project is checked by the same
 * rules as over HTTP, but not against existing projects: its custom id may be in use.
 * @throws {Problem} `mapping-failed`, `unavailable`, `scope-missing`
 * @throws {Problem} `invalid-parameter` if the result is not a command
 * @throws {Problem} `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(
  mapping: string,
  sample: MappingInput,
  { nowMs, scopes, allowsLoopbackEvents }: SampleRules,
): Promise<MappedCommands> {
  const own = mapper({ quotes: true });
  const { startDateToleranceMs } = LIMITS;
  const check = (command: Command) => {
    if (!('create' in command)) return;
    try {
      const project = atOnce(projectSteps({ startDateToleranceMs, allowsLoopbackEvents }, command.create, nowMs));
      checkDates(project, { nowMs, toleranceMs: startDateToleranceMs });
    } catch (error) {
      throw withListHints(error);
    }
  };
  try {
    await own.check(mapping);
    const made = readCommands(await own.apply(mapping, sample, nowMs));
    requireScopes({ scopes }, made.commands);
    if (made.isList) eachCommand(made.commands, check);
    else made.commands.forEach(check);
    return made;
  } finally {
    own.close();
  }
}
