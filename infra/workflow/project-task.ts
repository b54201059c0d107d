import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  FieldUtils,
  type IChainable,
  type INextable,
  JitterType,
  JsonPath,
  type State,
  StateMachineFragment,
  TaskStateBase,
  Timeout,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { failureName, TERMINAL_TYPES, type TerminalType } from '../../lib/contract/failure-names.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { SettingError } from '../options.ts';
import { ANY, NOT_APPLIED, REPEATABLE } from './error-names.ts';
import { requireFixedCompany } from './state-input.ts';

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
export abstract class ProjectTask extends StateMachineFragment {
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
  for (const type of TERMINAL_TYPES) {
    const { [type]: next } = failures;
    if (next) state.addCatch(next, { errors: [failureName(type)], resultPath });
    else others.push(failureName(type));
  }
  if (others.length > 0) state.addCatch(failures.Terminal, { errors: others, resultPath });
}
