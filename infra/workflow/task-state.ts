import { type Duration, Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type QueryLanguage, type State, TaskStateBase, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { COMPANY_ID } from '../../lib/contract/basic-credentials.ts';
import { SettingError } from '../setting-error.ts';
import { type Dialect, hasPath, type JsonataExpression, requireLanguage } from './query-language.ts';

export interface TaskStateProps {
  readonly function: IFunction;
  readonly companyId: string;
  readonly command: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
  readonly timeout: Duration;
  /** The index of `ProjectTaskProps`. */
  readonly index?: number | JsonataExpression | undefined;
  /** The state whose idempotency key this state uses, because it repeats that state's call. Default: this state. */
  readonly repeats?: State;
  /** How long the state waits for a report of its task token. Default: it needs no report. */
  readonly heartbeat?: Duration;
}

/**
 * A state that invokes a task function. Its idempotency key consists of the execution's id, the state's name and the
 * index.
 */
export class TaskState extends TaskStateBase {
  protected readonly taskMetrics = undefined;
  protected readonly taskPolicies: PolicyStatement[];
  readonly #props: TaskStateProps;

  constructor(scope: Construct, id: string, props: TaskStateProps) {
    const { heartbeat } = props;
    super(scope, id, {
      ...props.dialect.result,
      taskTimeout: Timeout.duration(props.timeout),
      ...(heartbeat && { heartbeatTimeout: Timeout.duration(heartbeat) }),
    });
    this.#props = props;
    this.taskPolicies = [
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [props.function.functionArn] }),
    ];
  }

  protected _renderTask(machineLanguage?: QueryLanguage) {
    const { function: lambda, companyId, command, dialect, index, repeats = this, heartbeat } = this.#props;
    requireLanguage(dialect, machineLanguage, this.stateId);
    const execution = {
      id: dialect.executionId,
      // The name is read here, because an enclosing fragment may have added a prefix to it.
      state: repeats.stateId,
      ...(index !== undefined && { index }),
    };
    const payload = { companyId, execution, ...command };
    if (!heartbeat) return { Resource: lambda.functionArn, ...dialect.render(payload) };
    return {
      Resource: `arn:${Stack.of(this).partition}:states:::lambda:invoke.waitForTaskToken`,
      ...dialect.render({
        FunctionName: lambda.functionArn,
        Payload: { ...payload, taskToken: dialect.taskToken },
      }),
    };
  }
}

/**
 * Checks that a company id is literal text, or a parameter of the stack. With a path or an expression, whoever starts an
 * execution could choose the company.
 * @throws {SettingError} if the company id is a path or an expression
 */
export function requireFixedCompany(scope: Construct, companyId: string): void {
  const isFixed = Token.isUnresolved(companyId)
    ? !hasPath({ companyId }) && !mayBeExpression(scope, companyId)
    : COMPANY_ID.test(companyId);
  if (!isFixed) {
    throw new SettingError(
      'companyId must be 1 to 64 letters, digits, "_" or "-" of ASCII, or a parameter of the stack. It must not be a path into the input, or an expression',
    );
  }
}

/** Whether a text that the deployment completes has a part of an expression, which no id has. */
function mayBeExpression(scope: Construct, text: string): boolean {
  return JSON.stringify(Stack.of(scope).resolve(text)).includes('%');
}
