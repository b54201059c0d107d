import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  type IChainable,
  type INextable,
  JitterType,
  JsonPath,
  type State,
  StateMachineFragment,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { failureName, TERMINAL_TYPES, type TerminalType } from '../../lib/contract/failure-names.ts';
import { SettingError } from '../setting-error.ts';
import { AGAIN, ANY, NOT_NOW } from './error-names.ts';
import { requireFixedCompany } from './fixed.ts';
import { Invocation } from './invocation.ts';

/** Where a workflow goes on after a failure, by its class; after a terminal one of a type by that, where it is given. */
export interface Failures extends Readonly<Partial<Record<TerminalType, IChainable>>> {
  /** The same input fails again, and what became of it is known. */
  readonly Terminal: IChainable;
  /** Nothing was done, however often it was tried. */
  readonly Retryable: IChainable;
  /** It cannot be told whether it was done, however often that was asked. */
  readonly Unknown: IChainable;
}

export interface ProjectTaskProps {
  /** The company, written out: whoever may change the definition may act for it, and nobody who only starts an execution. */
  readonly companyId: string;
  readonly failures: Failures;
  /** Where the failure is in the input of what comes after it; `$.failure` unless given. */
  readonly failurePath?: string;
  /** Where the output is in that of the state; all of it unless given. */
  readonly resultPath?: string;
  /**
   * Where the state runs several times in an execution: a whole number that tells these apart, such as
   * `JsonPath.numberAt('$.index')`, with `"index.$": "$$.Map.Item.Index"` in the map's item selector.
   */
  readonly index?: number;
}

/** States are named by it in definitions, logs and keys. */
const MOST_NAME_CHARACTERS = 80;

/** At once where nothing was done: a minute or two, since whoever starts an execution waits. */
const RETRY = { interval: Duration.seconds(2), maxAttempts: 6, maxDelay: Duration.seconds(60) };
/** Longer than what was begun is held for, and than a service behind takes to show it: twenty minutes at most. */
const RECONCILE = { interval: Duration.seconds(10), maxAttempts: 8, maxDelay: Duration.minutes(5) };
const JITTERED = { backoffRate: 2, jitterStrategy: JitterType.FULL };

/**
 * A task of Segue with all that a workflow has to do about its failures. What did nothing is tried again in place. Where it cannot
 * be told, a second state waits and sends the same again under the first one's key, which is done once: that finds out.
 */
export abstract class ProjectTask extends StateMachineFragment {
  readonly startState: State;
  readonly endStates: INextable[];

  /** @throws {SettingError} where the company is taken from what flows through, or a name is too long */
  constructor(
    scope: Construct,
    id: string,
    props: ProjectTaskProps,
    { function: lambda, command }: { function: IFunction; command: Readonly<Record<string, unknown>> },
  ) {
    super(scope, id);
    const reconcileId = `${id}Reconcile`;
    if ([...reconcileId].length > MOST_NAME_CHARACTERS) {
      throw new SettingError(`${reconcileId} would be the name of a state, which has at most 80 characters`);
    }
    const { companyId, index, resultPath } = props;
    requireFixedCompany(companyId);
    const invocation = { function: lambda, companyId, command, index, resultPath };
    const first = new Invocation(this, id, invocation);
    const second = new Invocation(this, reconcileId, { ...invocation, inPlaceOf: first });
    const wait = new Wait(this, `${id}Wait`, { time: WaitTime.duration(Duration.seconds(30)) });

    const { failures, failurePath = '$.failure' } = props;
    first.addRetry({ errors: [...NOT_NOW], ...RETRY, ...JITTERED });
    catchTerminal(first, failures, failurePath);
    first.addCatch(failures.Retryable, { errors: [...NOT_NOW], resultPath: failurePath });
    first.addCatch(wait.next(second), { errors: [ANY], resultPath: JsonPath.DISCARD });
    second.addRetry({ errors: [...AGAIN], ...RECONCILE, ...JITTERED });
    catchTerminal(second, failures, failurePath);
    second.addCatch(failures.Unknown, { errors: [ANY], resultPath: failurePath });
    this.startState = first;
    this.endStates = [first, second];
  }
}

function catchTerminal(state: Invocation, failures: Failures, resultPath: string): void {
  const others: string[] = [];
  for (const type of TERMINAL_TYPES) {
    const { [type]: next } = failures;
    if (next) state.addCatch(next, { errors: [failureName(type)], resultPath });
    else others.push(failureName(type));
  }
  if (others.length > 0) state.addCatch(failures.Terminal, { errors: others, resultPath });
}
