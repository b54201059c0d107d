import { Duration, Token } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type IChainable,
  type INextable,
  Pass,
  type State,
  StateMachineFragment,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { SettingError } from '../setting-error.ts';
import {
  addReadFailures,
  catchTerminal,
  JITTERED,
  MAX_NAME_CHARACTERS,
  type Named,
  type ProjectTaskProps,
  RETRY,
  TASK_TIMEOUT,
  targetOf,
} from './project-task.ts';
import { dialectOf } from './query-language.ts';
import { ANY, NOT_APPLIED } from './retried-errors.ts';
import { requireFixedCompany, TaskState } from './task-state.ts';

/** The names of the function's failures that are no problems; see `lib/workflow/waits/wait-end.ts`. */
const WAITING = 'Segue.Waiting';
const TIMED_OUT = 'Segue.WaitTimedOut';

/** The limits of `heartbeat` and `timeout`. Segue reports at least every five minutes. */
const MIN_HEARTBEAT = Duration.minutes(10);
const MAX_TIMEOUT = Duration.days(30);
const DEFAULT_HEARTBEAT = Duration.minutes(15);
const DEFAULT_TIMEOUT = Duration.days(7);
/** How often a wait may begin again: each time adds some ten of the 25,000 events that a history may have. */
const MAX_ROUNDS = 1_000;

export type WaitForProjectTaskProps = Omit<ProjectTaskProps, 'index'> &
  Named & {
    /** The function that waits: the gateway's `functionOf('waitForProjectTask')`, with the option `waits`. */
    readonly waitForProject: IFunction;
    /** The task of the project to wait for. Default: the whole project. */
    readonly taskId?: string;
    /** The codes of the target languages to wait for, such as `['de-DE']`. Default: the whole project or task. */
    readonly languages?: readonly string[];
    /** The percentage to wait for, 1 to 100. Default: 100. */
    readonly progress?: number;
    /**
     * How long the wait may take. At most 30 days, and 1,000 times the heartbeat. Default: 7 days, or 1,000 times a
     * shorter heartbeat.
     */
    readonly timeout?: Duration;
    /**
     * How long the state waits without a report, before it looks at the project itself. At least 10 minutes. Default: 15
     * minutes, or a thousandth of a longer timeout.
     */
    readonly heartbeat?: Duration;
    /** The next state if the project is not in the wished state in time. */
    readonly timedOut: IChainable;
  };

/**
 * A workflow task that waits until a project, a task of it or some target languages are done. Its output is `{ total,
 * languages }`. Segue reports by a task token. If no report arrives within the heartbeat, the state machine looks at the
 * project itself and waits on, so a lost report never stops it.
 */
export class WaitForProjectTask extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];

  /**
   * Creates the states of the task.
   * @throws {SettingError} if the company id is a path, a value is of the other query language, a state's name is too
   * long, the goal cannot be reached, or `heartbeat` and `timeout` do not fit
   */
  constructor(scope: Construct, id: string, props: WaitForProjectTaskProps) {
    super(scope, id);
    const { waitForProject, companyId, taskId, languages, progress, failures, timedOut } = props;
    requireFixedCompany(this, companyId);
    requireGoal(progress, languages);
    const { timeout, heartbeat } = timesOf(props);
    if ([...`${id}Pause`].length > MAX_NAME_CHARACTERS) {
      throw new SettingError(`the state name ${id}Pause is too long: Step Functions accepts at most 80 characters`);
    }
    const command = {
      ...targetOf(props, taskId),
      ...(languages && { languages }),
      ...(progress !== undefined && { progress }),
    };
    const dialect = dialectOf(props, command);
    const { queryLanguage } = dialect.result;
    // Each wait has a variable of its own: a branch must not assign one of its machine.
    const began = `segueWait${this.node.addr}`;
    const begin = new Pass(this, `${id}Begin`, { queryLanguage, assign: { [began]: dialect.enteredTime } });
    const sent = { ...command, since: dialect.variable(began), timeoutSeconds: timeout.toSeconds() };
    const invocation = { function: waitForProject, companyId, command: sent, dialect };
    const wait = new TaskState(this, id, { ...invocation, timeout, heartbeat });
    const check = new TaskState(this, `${id}Check`, { ...invocation, timeout: TASK_TIMEOUT });
    const pause = new Wait(this, `${id}Pause`, { time: WaitTime.duration(Duration.seconds(30)), queryLanguage });

    wait.addRetry({ errors: [...NOT_APPLIED], ...RETRY, ...JITTERED });
    catchTerminal(wait, failures, dialect);
    wait.addCatch(failures.Retryable, dialect.failure(NOT_APPLIED));
    wait.addCatch(timedOut, dialect.failure([TIMED_OUT]));
    wait.addCatch(check, dialect.discard([ANY]));
    check.addCatch(pause.next(wait), dialect.discard([WAITING]));
    check.addCatch(timedOut, dialect.failure([TIMED_OUT]));
    addReadFailures(check, failures, dialect);
    begin.next(wait);
    this.startState = begin;
    this.endStates = [wait, check];
  }
}

/** @throws {SettingError} if the percentage or the languages can never be waited for */
function requireGoal(progress: number | undefined, languages: readonly string[] | undefined): void {
  if (progress !== undefined && !Token.isUnresolved(progress) && !(progress >= 1 && progress <= 100))
    throw new SettingError('progress must be a percentage from 1 to 100');
  if (languages?.length === 0)
    throw new SettingError('languages must have at least one code: leave it out to wait for the whole project');
}

/**
 * Returns the times of a wait. Without one of them, its default fits the other.
 * @throws {SettingError} if a time is too short or too long
 */
function timesOf({ timeout, heartbeat }: Pick<WaitForProjectTaskProps, 'timeout' | 'heartbeat'>) {
  const total =
    timeout?.toSeconds() ?? Math.min(DEFAULT_TIMEOUT.toSeconds(), MAX_ROUNDS * (heartbeat?.toSeconds() ?? Infinity));
  const least = Math.ceil(total / MAX_ROUNDS);
  const beat = heartbeat?.toSeconds() ?? Math.max(Math.min(DEFAULT_HEARTBEAT.toSeconds(), total), least);
  if (beat < MIN_HEARTBEAT.toSeconds()) {
    const what = heartbeat ? 'heartbeat' : 'timeout';
    throw new SettingError(`${what} must be at least 10 minutes: Segue reports every five minutes`);
  }
  if (total < beat) throw new SettingError('timeout must be at least as long as heartbeat');
  if (total > MAX_TIMEOUT.toSeconds()) throw new SettingError('timeout must be at most 30 days');
  if (beat < least) {
    throw new SettingError(
      `timeout must be at most ${MAX_ROUNDS} times heartbeat: give a heartbeat of at least ${least} seconds, or a timeout of at most ${MAX_ROUNDS * beat} seconds`,
    );
  }
  return { timeout: Duration.seconds(total), heartbeat: Duration.seconds(beat) };
}
