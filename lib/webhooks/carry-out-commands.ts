import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import type { Command, CommandResult } from '../service/command.ts';
import type { Deadline } from '../service/deadline.ts';
import { type CommandRecord, refusedRecord } from './command-records.ts';
import type { FailedCommand } from './mapping/commands.ts';

/** What an attempt made of a delivery's commands. */
export interface CarriedOut {
  readonly records: readonly CommandRecord[];
  /** Nothing was done for these, and another attempt would not help. */
  readonly refused: readonly FailedCommand[];
  /** Why the attempt stopped before the last command: one failed in a way that may pass, or its time was over. */
  readonly stopped?: FailedCommand | 'time';
  /** Whether more commands are done or refused than before. */
  readonly hasProgress: boolean;
}

/** No further command is begun with less time than one may take. */
export const LEAST_COMMAND_MS = 10_000;

/**
 * Carries out the commands that are not done, in their order. A refused command does not stop the others. A command that may
 * succeed later does, so that later commands never overtake it. Commands that an earlier attempt refused come last, if there
 * is time left: another try may succeed. Without time, they keep the problem and the faults of their record.
 */
export async function carryOutCommands(
  commands: readonly Command[],
  records: readonly CommandRecord[],
  { deadline, carryOut }: { deadline: Deadline; carryOut: (command: Command, id: string) => Promise<CommandResult> },
): Promise<CarriedOut> {
  const after: CommandRecord[] = [...records];
  const refused: FailedCommand[] = [];
  const isTimeOver = () => deadline.remainingMs() < LEAST_COMMAND_MS;
  const hasProgress = () => after.some(({ state }, index) => state !== records[index]?.state && state !== 'open');
  let hasBegun = false;
  for (const { index, command, record } of inTurn(commands, records)) {
    const { id } = record;
    if (hasBegun && isTimeOver()) {
      if (record.state !== 'refused') return { records: after, refused, stopped: 'time', hasProgress: hasProgress() };
      const { detail, errors } = record;
      refused.push({ index, problem: new Problem(record.problem, { detail, ...(errors && { errors }) }) });
      continue;
    }
    hasBegun = true;
    try {
      after[index] = { state: 'done', id, result: await carryOut(command, id) };
    } catch (error) {
      const problem = problemOf(error);
      const { retryable, outcome } = PROBLEMS[problem.name];
      if (retryable || outcome === 'unknown') {
        if (outcome === 'unknown') after[index] = { state: 'open', id };
        return { records: after, refused, stopped: { index, problem }, hasProgress: hasProgress() };
      }
      if (outcome === 'not-applied') {
        const others = after.filter((_, other) => other !== index);
        after[index] = refusedRecord(id, problem, others);
        refused.push({ index, problem });
      } else {
        // carried out before, and its project was deleted since
        after[index] = { state: 'done', id, result: null };
      }
    }
  }
  refused.sort((one, other) => one.index - other.index);
  return { records: after, refused, hasProgress: hasProgress() };
}

/** The commands that are not done, those that were refused before at the end. */
function inTurn(commands: readonly Command[], records: readonly CommandRecord[]) {
  const left = commands.flatMap((command, index) => {
    const record = records[index];
    return record && record.state !== 'done' ? [{ index, command, record }] : [];
  });
  return left.sort((one, other) => Number(one.record.state === 'refused') - Number(other.record.state === 'refused'));
}

export function problemOf(error: unknown): Problem {
  return error instanceof Problem
    ? error
    : new Problem('internal-error', { detail: 'The attempt failed.' }, { cause: error });
}
