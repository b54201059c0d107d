import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  type IChainable,
  type INextable,
  JitterType,
  type State,
  StateMachineFragment,
  type TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { failureName, isTerminal, PROBLEM_TYPES, type TerminalType } from '../../lib/contract/problems.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { SettingError } from '../setting-error.ts';
import { type DataFlow, type Dialect, dialectOf, type JsonataExpression } from './query-language.ts';
import { ANY, NOT_APPLIED, REPEATABLE } from './retried-errors.ts';
import { requireFixedCompany, TaskState } from './task-state.ts';

/** The next state for each class of failure. A terminal problem type can have its own next state. */
export interface Failures extends Readonly<Partial<Record<TerminalType, IChainable>>> {
  /** The state after a failure whose outcome is known, and which a retry with the same input cannot change. */
  readonly Terminal: IChainable;
  /** The state after a failure that may pass, if every attempt failed. Nothing was done. */
  readonly Retryable: IChainable;
  /** The state after a failure whose outcome is unknown even after every attempt. */
  readonly Unknown: IChainable;
}

export interface ProjectTaskProps extends DataFlow {
  /**
   * The company's id, as literal text. Whoever may change the state machine's definition can act for any company;
   * whoever starts an execution cannot.
   */
  readonly companyId: string;
  readonly failures: Failures;
  /**
   * A whole number that differs each time. Required if the state runs several times in an execution. In a map, use
   * `JsonPath.numberAt('$.index')`, and `"index.$": "$$.Map.Item.Index"` in the map's item selector. In JSONata, use
   * `{% $states.input.index %}`, and `{% $states.context.Map.Item.Index %}` in the item selector.
   */
  readonly index?: number | JsonataExpression;
}

/** The longest name of a state that Step Functions accepts, in characters. */
export const MAX_NAME_CHARACTERS = 80;

/**
 * The retries after a failure that did nothing. Together, the pauses are about two minutes at most, because a caller
 * may wait for the execution.
 */
export const RETRY = { interval: Duration.seconds(2), maxAttempts: 6, maxDelay: Duration.seconds(60) };
/**
 * The retries after an unknown outcome. Together, the pauses are about 20 minutes at most. Even half of that is longer
 * than a lease, and longer than an upstream service takes to show a change.
 */
const RECONCILE = { interval: Duration.seconds(10), maxAttempts: 8, maxDelay: Duration.minutes(5) };
export const JITTERED = { backoffRate: 2, jitterStrategy: JitterType.FULL };

/**
 * The timeout of the task. It is longer than the function's timeout, so that the function's own failure is reported
 * first.
 */
export const TASK_TIMEOUT = Duration.seconds(FUNCTIONS.createProjectTask.timeoutSeconds + 10);

/**
 * A task of Segue with its error handling. The first state retries failures that did nothing. After an unknown outcome,
 * a second state waits and repeats the call under the idempotency key of the first state. The repeated call returns the
 * outcome.
 */
abstract class ProjectTask extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];

  /** Creates the states of the task. @throws {SettingError} if the company id is a path, or a state name is too long */
  constructor(
    scope: Construct,
    id: string,
    props: ProjectTaskProps,
    { function: lambda, command }: { function: IFunction; command: Readonly<Record<string, unknown>> },
  ) {
    super(scope, id);
    const reconcileId = `${id}Reconcile`;
    if ([...reconcileId].length > MAX_NAME_CHARACTERS) {
      throw new SettingError(`the state name ${reconcileId} is too long: Step Functions accepts at most 80 characters`);
    }
    const { companyId, index, failures } = props;
    requireFixedCompany(this, companyId);
    const dialect = dialectOf(props, { ...command, index });
    const invocation = { function: lambda, companyId, command, index, dialect, timeout: TASK_TIMEOUT };
    const first = new TaskState(this, id, invocation);
    const second = new TaskState(this, reconcileId, { ...invocation, repeats: first });
    const { queryLanguage } = dialect.result;
    const wait = new Wait(this, `${id}Wait`, { time: WaitTime.duration(Duration.seconds(30)), queryLanguage });

    first.addRetry({ errors: [...NOT_APPLIED], ...RETRY, ...JITTERED });
    catchTerminal(first, failures, dialect);
    first.addCatch(failures.Retryable, dialect.failure(NOT_APPLIED));
    first.addCatch(wait.next(second), dialect.discard([ANY]));
    second.addRetry({ errors: [...REPEATABLE], ...RECONCILE, ...JITTERED });
    catchTerminal(second, failures, dialect);
    second.addCatch(failures.Unknown, dialect.failure([ANY]));
    this.startState = first;
    this.endStates = [first, second];
  }
}

/** A reference to an object that holds a project, in a bucket of the gateway's option `projectsFrom`. */
export interface ProjectFrom {
  readonly bucket: IBucket;
  /** The object's key, such as `JsonPath.stringAt('$.key')`. */
  readonly key: string;
  /**
   * The object's version, such as `JsonPath.stringAt('$.versionId')`. With a version, a retry reads the same content as
   * the first attempt.
   */
  readonly versionId?: string;
}

/** The project of a task, or a reference to it. A reference keeps content out of the execution's history. */
type Creation = { readonly project: TaskInput } | { readonly projectFrom: ProjectFrom };

export type CreateProjectTaskProps = ProjectTaskProps &
  Creation & {
    /** The function that creates projects: the gateway's `functionOf('createProjectTask')`. */
    readonly createProject: IFunction;
  };

/**
 * A workflow task that creates one project exactly once in an execution. Its output is `{ projectId, segments,
 * targetLanguages }`.
 */
export class CreateProjectTask extends ProjectTask {
  /**
   * Creates the states of the task.
   * @throws {SettingError} if the company id is a path, if the key or version of the object is a path written as text, or
   * if a state's name is too long
   */
  constructor(scope: Construct, id: string, props: CreateProjectTaskProps) {
    super(scope, id, props, { function: props.createProject, command: commandOf(props) });
  }
}

function commandOf(creation: Creation) {
  if ('project' in creation) return { project: creation.project.value };
  const { bucket, ...object } = creation.projectFrom;
  return { projectFrom: { bucket: bucket.bucketName, ...object } };
}

export type PutProjectTaskProps = ProjectTaskProps &
  Creation &
  Revised & {
    /** The function that puts projects: the gateway's `functionOf('putProjectTask')`. */
    readonly putProject: IFunction;
  };

/** The version of a project. */
interface Revised {
  /**
   * A number that is higher for each later version of the project, such as `JsonPath.numberAt('$.version')`, or an
   * RFC 3339 date. A lower one than the highest so far changes nothing. Default: the task always takes effect.
   */
  readonly revision?: number | string;
}

/**
 * A workflow task that creates the project with a custom id, or makes the existing one be the given project. Its output
 * is `{ projectId, customId, outcome, segments, targetLanguages }` with the counts of what was kept, changed, added and
 * removed. If the project has a higher revision, the output is `{ outcome: 'outdated', revision }`.
 */
export class PutProjectTask extends ProjectTask {
  /**
   * Creates the states of the task.
   * @throws {SettingError} if the company id is a path, if the revision, the key or the version of the object is a path
   * written as text, or if a state's name is too long
   */
  constructor(scope: Construct, id: string, props: PutProjectTaskProps) {
    super(scope, id, props, { function: props.putProject, command: { ...commandOf(props), ...revisionOf(props) } });
  }
}

function revisionOf({ revision }: Revised): Revised {
  return revision === undefined ? {} : { revision };
}

/**
 * The project, by its id, such as `JsonPath.numberAt('$.created.projectId')` or `{% $states.input.projectId %}`, or by its
 * custom id.
 */
export type Named = { readonly projectId: number | JsonataExpression } | { readonly customId: string };

/** Returns the fields of a command that name a project, or one task of it. */
export function targetOf(named: Named, taskId: string | undefined) {
  const project = 'projectId' in named ? { projectId: named.projectId } : { customId: named.customId };
  return { ...project, ...(taskId !== undefined && { taskId }) };
}

/** What to delete. The scope is explicit, so that a missing task id never deletes the whole project. */
type Scope = ({ readonly scope: 'project' } & Revised) | { readonly scope: 'task'; readonly taskId: string };

export type DeleteProjectTaskProps = ProjectTaskProps &
  Named &
  Scope & {
    /** The function that deletes projects: the gateway's `functionOf('deleteProjectTask')`. */
    readonly deleteProject: IFunction;
  };

/**
 * A workflow task that deletes a project or one task of a project. Its output is the receipt. If the project, or that
 * task of it, does not exist, the output is `{ scope, outcome: 'already-absent' }`. If the project has a higher revision,
 * the outcome is `already-newer`.
 */
export class DeleteProjectTask extends ProjectTask {
  /**
   * Creates the states of the task.
   * @throws {SettingError} if the company id is a path, if an id is a path written as text, or if a state's name is too
   * long
   */
  constructor(scope: Construct, id: string, props: DeleteProjectTaskProps) {
    const taskId = props.scope === 'task' ? props.taskId : undefined;
    super(scope, id, props, {
      function: props.deleteProject,
      command: {
        ...targetOf(props, taskId),
        scope: props.scope,
        ...(props.scope === 'project' && revisionOf(props)),
      },
    });
  }
}

/** The project to follow, and the task of it, if only one. */
export type GetProgressTaskProps = Omit<ProjectTaskProps, 'index'> &
  Named & {
    /** The function that reads progress: the gateway's `functionOf('getProgressTask')`. */
    readonly getProgress: IFunction;
    readonly taskId?: string;
  };

/**
 * A workflow task that reads the progress of a project, or of one task of it. Its output is `{ total, languages }`. It
 * changes nothing, so it is one state, which repeats the call after any failure that may pass.
 */
export class GetProgressTask extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];

  /**
   * Creates the state.
   * @throws {SettingError} if the company id is a path, or an id is a path written as text
   */
  constructor(scope: Construct, id: string, props: GetProgressTaskProps) {
    super(scope, id);
    const { getProgress, companyId, taskId, failures } = props;
    requireFixedCompany(this, companyId);
    const command = targetOf(props, taskId);
    const dialect = dialectOf(props, command);
    const read = new TaskState(this, id, { function: getProgress, companyId, command, dialect, timeout: TASK_TIMEOUT });
    addReadFailures(read, failures, dialect);
    this.startState = read;
    this.endStates = [read];
  }
}

/** Retries a state that changes nothing, and catches its failures. */
export function addReadFailures(state: TaskState, failures: Failures, dialect: Dialect): void {
  state.addRetry({ errors: [...REPEATABLE], ...RETRY, ...JITTERED });
  catchTerminal(state, failures, dialect);
  state.addCatch(failures.Retryable, dialect.failure(NOT_APPLIED));
  state.addCatch(failures.Unknown, dialect.failure([ANY]));
}

/** Catches the terminal failures of a state. */
export function catchTerminal(state: TaskState, failures: Failures, dialect: Dialect): void {
  const others: string[] = [];
  for (const type of PROBLEM_TYPES.filter(isTerminal)) {
    const { [type]: next } = failures;
    if (next) state.addCatch(next, dialect.failure([failureName(type)]));
    else others.push(failureName(type));
  }
  if (others.length > 0) state.addCatch(failures.Terminal, dialect.failure(others));
}
