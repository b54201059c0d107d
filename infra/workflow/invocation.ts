import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FieldUtils, JsonPath, type State, TaskStateBase, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { timeoutOf } from '../functions/timeouts.ts';

/** Longer than the function may run, so that its own failure comes first. */
const TIMEOUT = timeoutOf({ name: 'createProjectTask', kind: 'task' }).plus(Duration.seconds(10));

export interface InvocationProps {
  readonly function: IFunction;
  readonly companyId: string;
  /** What is to be done, beside for whom and where. */
  readonly command: Readonly<Record<string, unknown>>;
  /** A whole number that tells apart what this state does several times in an execution, as a path. */
  readonly index?: number | undefined;
  readonly resultPath?: string | undefined;
  /** The state that this one does the work of, where that could not be told; itself unless given. */
  readonly inPlaceOf?: State;
}

/** The state that runs a task of Segue. Its place in the execution is the key by which the work is done once. */
export class Invocation extends TaskStateBase {
  protected readonly taskMetrics = undefined;
  protected readonly taskPolicies: PolicyStatement[];
  readonly #props: InvocationProps;

  constructor(scope: Construct, id: string, props: InvocationProps) {
    super(scope, id, { resultPath: props.resultPath, taskTimeout: Timeout.duration(TIMEOUT) });
    this.#props = props;
    this.taskPolicies = [
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [props.function.functionArn] }),
    ];
  }

  protected _renderTask() {
    const { function: lambda, companyId, command, index, inPlaceOf = this } = this.#props;
    const execution = {
      id: JsonPath.stringAt('$$.Execution.Id'),
      // read only now, as what a state is in may put something before its name
      state: inPlaceOf.stateId,
      ...(index !== undefined && { index }),
    };
    return {
      Resource: lambda.functionArn,
      Parameters: FieldUtils.renderObject({ companyId, execution, ...command }),
    };
  }
}
