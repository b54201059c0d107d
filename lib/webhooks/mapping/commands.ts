import { checkDates } from '../../contract/check.ts';
import type { Fault } from '../../contract/faults.ts';
import { LIMITS } from '../../contract/limits.ts';
import { Problem } from '../../contract/problem.ts';
import { type Command, readCommand, readProject } from '../../service/command.ts';
import { requireScopes, type SourceScope } from '../sources.ts';
import { type MappingInput, mapper } from './mapper.ts';

/** The most commands for one message. */
export const MAX_COMMANDS = 100;

/** The commands that a mapping gives for a message. */
export interface MappedCommands {
  readonly commands: readonly Command[];
  /** Whether the mapping gave an array. Then the pointers of faults begin with the index of the command. */
  readonly isList: boolean;
}

/**
 * Reads the result of a mapping: a command, an array of them, or nothing.
 * @throws {Problem} `invalid-parameter` with the faults of every entry that is not a command; `mapping-failed`
 */
export function readCommands(result: unknown): MappedCommands {
  if (result === undefined || result === null) return { commands: [], isList: false };
  if (!Array.isArray(result)) return { commands: [readCommand(result)], isList: false };
  if (result.length > MAX_COMMANDS) {
    const detail = `The mapping returns ${result.length} commands. A message may have at most ${MAX_COMMANDS}.`;
    throw new Problem('mapping-failed', { detail });
  }
  return { commands: eachCommand(result, readCommand), isList: true };
}

/**
 * Handles every command of a list, and throws only after the last one.
 * @throws {Problem} the first problem, with the faults of all
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

/** A failed command of a list, by its index. */
export interface FailedCommand {
  readonly index: number;
  readonly problem: Problem;
}

/** The problem of the first failed command, with the faults of all; `undefined` if none failed. */
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

/**
 * Maps a sample message, and checks the projects of its commands as over HTTP. Nothing is done.
 * @param nowMs the time that the mapping sees, in milliseconds since 1970
 * @param scopes of the source; both unless given
 * @throws {Problem} `mapping-failed`, `unavailable`; `invalid-parameter` if the result is not a command; `scope-missing`;
 *   `invalid-project`, `team-without-translator` with every fault
 */
export async function checkSample(
  mapping: string,
  sample: MappingInput,
  nowMs: number,
  scopes?: readonly SourceScope[],
): Promise<MappedCommands> {
  const own = mapper({ quotes: true });
  const { startDateToleranceMs } = LIMITS;
  const check = (command: Command) => {
    if (!('create' in command)) return;
    const project = readProject({ startDateToleranceMs }, command.create, nowMs);
    checkDates(project, { nowMs, toleranceMs: startDateToleranceMs });
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
