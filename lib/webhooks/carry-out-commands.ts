import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import type { Command, CommandResult } from '../service/commands/command.ts';
import type { Deadline } from '../service/deadline.ts';
import type { CommandRecord } from './command-records.ts';
import type { FailedCommand } from './mapping/commands.ts';

/** What an attempt made of a delivery's commands. */
export interface CarriedOut {
  readonly records: readonly CommandRecord[];
  /** Nothing was done for these, and another attempt would not help. */
  readonly refused: readonly FailedCommand[];
  /** Why the attempt stopped before the last command: one failed in a way that may pass, or its time was over. */
  readonly stopped?: FailedCommand | 'time';
  /** Whether a command was carried out that no attempt before had. */
  readonly hasProgress: boolean;
}

/** No further command is begun with less time than one may take. */
export const LEAST_COMMAND_MS = 10_000;

/**
 * Carries out the commands that are not done, in their order. One that is refused does not stop the others; one
 * that may succeed later does, so that what follows it never overtakes it.
 */
export async function carryOutCommands(
  commands: readonly Command[],
  records: readonly CommandRecord[],
  { deadline, carryOut }: { deadline: Deadline; carryOut: (command: Command, id: string) => Promise<CommandResult> },
): Promise<CarriedOut> {
  const after: CommandRecord[] = [...records];
  const refused: FailedCommand[] = [];
  let hasBegun = false;
  let hasProgress = false;
  for (const [index, command] of commands.entries()) {
    const record = records[index];
    if (!record || record.state === 'done') continue;
    const { id } = record;
    if (hasBegun && deadline.remainingMs() < LEAST_COMMAND_MS) {
      return { records: after, refused, stopped: 'time', hasProgress };
    }
    hasBegun = true;
    try {
      after[index] = { state: 'done', id, result: await carryOut(command, id) };
    } catch (error) {
      const problem = problemOf(error);
      const { retryable, outcome } = PROBLEMS[problem.name];
      if (retryable || outcome === 'unknown') {
        if (outcome === 'unknown') after[index] = { state: 'open', id };
        return { records: after, refused, stopped: { index, problem }, hasProgress };
      }
      if (outcome === 'not-applied') {
        after[index] = { state: 'refused', id, problem: problem.name, detail: problem.message };
        refused.push({ index, problem });
        continue;
      }
      // carried out before, and its project was deleted since
      after[index] = { state: 'done', id, result: null };
    }
    hasProgress = true;
  }
  return { records: after, refused, hasProgress };
}

export function problemOf(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem('internal-error', { detail: 'The attempt failed.' }, { cause: error });
}
