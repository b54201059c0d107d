import { Duration, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  FieldUtils,
  type IChainable,
  type INextable,
  JitterType,
  JsonPath,
  type State,
  StateMachineFragment,
  type TaskInput,
  TaskStateBase,
  Timeout,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { COMPANY_ID } from '../../lib/contract/credentials.ts';
import { failureName, isTerminal, PROBLEM_TYPES, type TerminalType } from '../../lib/contract/problems.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { SettingError } from '../options.ts';
import { ANY, NOT_APPLIED, REPEATABLE } from './retried-errors.ts';

/** The next state after a failure, by class. A terminal problem type can have a state of its own. */
export interface Failures extends Readonly<Partial<Record<TerminalType, IChainable>>> {
  /** The same input fails again, and the outcome is known. */
  readonly Terminal: IChainable;
  /** Nothing was done, in any of the attempts. */
  readonly Retryable: IChainable;
  /** The outcome is unknown after every attempt. */
  readonly Unknown: IChainable;
}

export interface ProjectTaskProps {
  /** The company, as literal text. Whoever may change the definition may act for it; whoever starts an execution may not. */
  readonly companyId: string;
  readonly failures: Failures;
  /** The path of the failure in the input of the next state. Default: `$.failure`. */
  readonly failurePath?: string;
  /** The path of the output in that of the state. Default: the whole output. */
  readonly resultPath?: string;
  /**
   * Required if the state runs several times in an execution: a whole number that differs each time, such as
   * `JsonPath.numberAt('$.index')`, with `"index.$": "$$.Map.Item.Index"` in the map's item selector.
   */
  readonly index?: number;
}

/** The limit of Step Functions. */
const MAX_NAME_CHARACTERS = 80;

/** After failures that did nothing. It ends within two minutes, because a caller may wait for the execution. */
const RETRY = { interval: Duration.seconds(2), maxAttempts: 6, maxDelay: Duration.seconds(60) };
/** After an unknown outcome: at most 20 minutes, longer than a lease, and than an upstream service takes to show a change. */
const RECONCILE = { interval: Duration.seconds(10), maxAttempts: 8, maxDelay: Duration.minutes(5) };
const JITTERED = { backoffRate: 2, jitterStrategy: JitterType.FULL };

/** Longer than the function's own timeout, so that the function's failure comes first. */
const TASK_TIMEOUT = Duration.seconds(FUNCTIONS.createProjectTask.timeoutSeconds + 10);

/**
 * A task of Segue with its error handling. The first state retries failures that did nothing. After an unknown outcome, a
 * second state waits and repeats the call under the first state's idempotency key, which finds the outcome.
 */
abstract class ProjectTask extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];

  /** @throws {SettingError} if the company id is a path, or a state name is too long */
  constructor(
    scope: Construct,
    id: string,
    props: ProjectTaskProps,
    { function: lambda, command }: { function: IFunction; command: Readonly<Record<string, unknown>> },
  ) {
    super(scope, id);
    const reconcileId = `${id}Reconcile`;
    if ([...reconcileId].length > MAX_NAME_CHARACTERS) {
      throw new SettingError(`${reconcileId} would be the name of a state, which has at most 80 characters`);
    }
    const { companyId, index, resultPath } = props;
    requireFixedCompany(companyId);
    const invocation = { function: lambda, companyId, command, index, resultPath };
    const first = new TaskState(this, id, invocation);
    const second = new TaskState(this, reconcileId, { ...invocation, repeats: first });
    const wait = new Wait(this, `${id}Wait`, { time: WaitTime.duration(Duration.seconds(30)) });

    const { failures, failurePath = '$.failure' } = props;
    first.addRetry({ errors: [...NOT_APPLIED], ...RETRY, ...JITTERED });
    catchTerminal(first, failures, failurePath);
    first.addCatch(failures.Retryable, { errors: [...NOT_APPLIED], resultPath: failurePath });
    first.addCatch(wait.next(second), { errors: [ANY], resultPath: JsonPath.DISCARD });
    second.addRetry({ errors: [...REPEATABLE], ...RECONCILE, ...JITTERED });
    catchTerminal(second, failures, failurePath);
    second.addCatch(failures.Unknown, { errors: [ANY], resultPath: failurePath });
    this.startState = first;
    this.endStates = [first, second];
  }
}

/** A project by reference: an object of a bucket in the gateway's `projectsFrom`. */
export interface ProjectFrom {
  readonly bucket: IBucket;
  /** Such as `JsonPath.stringAt('$.key')`. */
  readonly key: string;
  /** Such as `JsonPath.stringAt('$.versionId')`. With it, a retry reads the same object as the first attempt. */
  readonly versionId?: string;
}

/** The project, or a reference to it, which keeps content out of the execution's history. */
type Creation = { readonly project: TaskInput } | { readonly projectFrom: ProjectFrom };

export type CreateProjectTaskProps = ProjectTaskProps &
  Creation & {
    /** The gateway's `functionOf('createProjectTask')`. */
    readonly createProject: IFunction;
  };

/** Creates a project, exactly once in an execution. Its output is `{ projectId, segments, targetLanguages }`. */
export class CreateProjectTask extends ProjectTask {
  /** @throws {SettingError} if the company id is a path, a key is a path written as text, or a name is too long */
  constructor(scope: Construct, id: string, props: CreateProjectTaskProps) {
    super(scope, id, props, { function: props.createProject, command: commandOf(props) });
  }
}

function commandOf(creation: Creation) {
  if ('project' in creation) return { project: creation.project.value };
  const { bucket, ...object } = creation.projectFrom;
  refuseBarePaths(object.key, object.versionId);
  return { projectFrom: { bucket: bucket.bucketName, ...object } };
}

/** The project, by its id, such as `JsonPath.numberAt('$.created.projectId')`, or by its custom id. */
type Named = { readonly projectId: number } | { readonly customId: string };

/** The scope is explicit, so that a missing task id never deletes the whole project. */
type Scope = { readonly scope: 'project' } | { readonly scope: 'task'; readonly taskId: string };

export type DeleteProjectTaskProps = ProjectTaskProps &
  Named &
  Scope & {
    /** The gateway's `functionOf('deleteProjectTask')`. */
    readonly deleteProject: IFunction;
  };

/** Deletes a project or one task of it. Its output is the receipt. It succeeds if the project was already gone. */
export class DeleteProjectTask extends ProjectTask {
  /** @throws {SettingError} if the company id is a path, an id is a path written as text, or a name is too long */
  constructor(scope: Construct, id: string, props: DeleteProjectTaskProps) {
    refuseBarePaths(
      'customId' in props ? props.customId : undefined,
      props.scope === 'task' ? props.taskId : undefined,
    );
    const named = 'projectId' in props ? { projectId: props.projectId } : { customId: props.customId };
    const scoped = props.scope === 'task' ? { scope: props.scope, taskId: props.taskId } : { scope: props.scope };
    super(scope, id, props, { function: props.deleteProject, command: { ...named, ...scoped } });
  }
}

interface TaskStateProps {
  readonly function: IFunction;
  readonly companyId: string;
  readonly command: Readonly<Record<string, unknown>>;
  /** See `ProjectTaskProps`. */
  readonly index?: number | undefined;
  readonly resultPath?: string | undefined;
  /** The state whose call this one repeats, under the same key. Default: itself. */
  readonly repeats?: State;
}

/** A state that invokes a task function. The execution's id, the state's name and the index are its idempotency key. */
class TaskState extends TaskStateBase {
  protected readonly taskMetrics = undefined;
  protected readonly taskPolicies: PolicyStatement[];
  readonly #props: TaskStateProps;

  constructor(scope: Construct, id: string, props: TaskStateProps) {
    super(scope, id, { resultPath: props.resultPath, taskTimeout: Timeout.duration(TASK_TIMEOUT) });
    this.#props = props;
    this.taskPolicies = [
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [props.function.functionArn] }),
    ];
  }

  protected _renderTask() {
    const { function: lambda, companyId, command, index, repeats = this } = this.#props;
    const execution = {
      id: JsonPath.stringAt('$$.Execution.Id'),
      // read when rendering: an enclosing fragment may put a prefix before the name
      state: repeats.stateId,
      ...(index !== undefined && { index }),
    };
    return {
      Resource: lambda.functionArn,
      Parameters: FieldUtils.renderObject({ companyId, execution, ...command }),
    };
  }
}

function catchTerminal(state: TaskState, failures: Failures, resultPath: string): void {
  const others: string[] = [];
  for (const type of PROBLEM_TYPES.filter(isTerminal)) {
    const { [type]: next } = failures;
    if (next) state.addCatch(next, { errors: [failureName(type)], resultPath });
    else others.push(failureName(type));
  }
  if (others.length > 0) state.addCatch(failures.Terminal, { errors: others, resultPath });
}

/**
 * Requires that a company id is literal, or a parameter of the stack. With a path into the input, whoever starts an
 * execution could choose the company.
 * @throws {SettingError}
 */
function requireFixedCompany(companyId: string): void {
  const isFixed = Token.isUnresolved(companyId) ? !hasPath(companyId) : COMPANY_ID.test(companyId);
  if (!isFixed) {
    throw new SettingError(
      'companyId is 1 to 64 letters, digits, "_" or "-" of ASCII, or a parameter of the stack: never a path into the input',
    );
  }
}

/**
 * Refuses a path that is written as plain text. Step Functions would send the text itself as the id, and a deletion would
 * find nothing and succeed.
 * @throws {SettingError}
 */
function refuseBarePaths(...texts: readonly (string | undefined)[]): void {
  const bare = texts.find((text) => text?.startsWith('$') && !Token.isUnresolved(text));
  if (bare !== undefined) {
    throw new SettingError(`${bare} would be sent as an id or a key itself: write JsonPath.stringAt('${bare}')`);
  }
}

function hasPath(text: string): boolean {
  try {
    return FieldUtils.findReferencedPaths({ text }).length > 0;
  } catch {
    // a path with text around it
    return true;
  }
}
