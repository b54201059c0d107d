import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { COMPANY_ID } from '../../lib/contract/basic-credentials.ts';
import { acknowledge, arnInFindings, logicalIdOf } from '../acknowledge.ts';
import { SettingError } from '../setting-error.ts';
import { keyStatements } from '../stores/grant.ts';
import { bulkDefinition, indexPrefix, LINES, resultsPrefix } from './bulk-definition.ts';

/** The parts of a `ProjectGateway` that bulk runs need. */
export interface BulkGateway {
  /** Undefined in a gateway without the option `bulk`, which has no bulk runs. */
  readonly manifests: Bucket | undefined;
  readonly bulkLog: ILogGroup | undefined;
  functionOf(name: 'prepareBulk' | 'bulkLine'): IFunction;
}

export interface BulkProjectsProps {
  readonly gateway: BulkGateway;
  /**
   * The company's id, as literal text. Whoever may change the state machine's definition can act for any company;
   * whoever starts an execution cannot.
   */
  readonly companyId: string;
  /** How many lines run at once, up to 10,000. Default: 20. */
  readonly concurrency?: number;
  /**
   * How many percent of the lines may fail before the run stops and fails. Default: 20. With 100, it always runs to its
   * end, and never fails because of its lines.
   */
  readonly toleratedFailurePercentage?: number;
}

/** The fault of an id that cannot be that of a company. */
export const COMPANY_ID_RULE = 'companyId must be 1 to 64 letters, digits, "_" or "-" of ASCII';

/** The actions that Step Functions needs to write results, which may be large. */
const WRITE_ACTIONS = ['s3:PutObject', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:AbortMultipartUpload'];
/**
 * The default share of failed lines that a run tolerates, in percent. Some wrong lines are normal in a large manifest,
 * and their report is needed. If a fifth fails, the cause concerns the whole run: a wrong export, or a service that is
 * down.
 */
const TOLERATED_PERCENT = 20;
/** The highest concurrency of a Distributed Map. Step Functions reads 0 as no limit. */
const MAX_CONCURRENCY = 10_000;

/**
 * A state machine that runs the manifests of one company. Its input is `{ "key": "manifests/<company id>/…" }`, where
 * the key names an object in the gateway's bucket `manifests`. The optional field `"run"` is the name of the run; the
 * key is its default. Under one name, each line executes exactly once, even if the run is repeated or redriven. With
 * `"validateOnly": true`, lines are only checked. The results are in the same bucket, under `results/<company id>/`.
 */
export class BulkProjects extends Construct {
  readonly companyId: string;
  readonly machine: StateMachine;

  /**
   * Creates the state machine.
   * @throws {SettingError} if the company id is invalid, a number is out of range, or the gateway has no bulk runs
   */
  constructor(scope: Construct, id: string, props: BulkProjectsProps) {
    super(scope, id);
    const { gateway, companyId, concurrency = 20, toleratedFailurePercentage = TOLERATED_PERCENT } = props;
    // With a path into the input, whoever starts an execution could choose the company.
    if (!COMPANY_ID.test(companyId)) throw new SettingError(COMPANY_ID_RULE);
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
      throw new SettingError(`concurrency must be a whole number from 1 to ${MAX_CONCURRENCY}`);
    if (!(toleratedFailurePercentage >= 0 && toleratedFailurePercentage <= 100))
      throw new SettingError('toleratedFailurePercentage must be a number from 0 to 100');
    this.companyId = companyId;
    const { manifests, bulkLog } = gateway;
    if (!manifests || !bulkLog) throw new SettingError('BulkProjects needs a gateway whose option bulk is not false');
    const prepareBulk = gateway.functionOf('prepareBulk').functionArn;
    const bulkLine = gateway.functionOf('bulkLine').functionArn;
    const { partition } = Stack.of(this);
    const parts = { partition, companyId, prepareBulk, bulkLine, bucket: manifests.bucketName };
    const definition = bulkDefinition({ ...parts, concurrency, toleratedFailurePercentage });
    this.machine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(definition)),
      tracingEnabled: true,
      logs: {
        destination: bulkLog,
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
    const below = (prefix: string) => manifests.arnForObjects(`${prefix}/*`);
    for (const statement of [
      allow(['lambda:InvokeFunction'], prepareBulk, bulkLine),
      allow(['s3:GetObject'], below(indexPrefix(companyId))),
      allow(WRITE_ACTIONS, below(resultsPrefix(companyId))),
      ...keyStatements(manifests.encryptionKey, 's3', 'write'),
    ]) {
      this.machine.addToRolePolicy(statement);
    }
    this.#allowRuns();
    this.#acknowledge(manifests);
  }

  /**
   * Allows the machine to start executions of itself, one for each line. The policy needs both role and machine, so it
   * is created after them.
   */
  #allowRuns(): void {
    const { stateMachineArn: arn, stateMachineName: name, role } = this.machine;
    const runs = Stack.of(this).formatArn({
      service: 'states',
      resource: 'execution',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const policy = new Policy(this, 'Runs', {
      roles: [role],
      statements: [
        allow(['states:StartExecution'], arn),
        allow(['states:DescribeExecution', 'states:StopExecution'], `${runs}:*`),
        allow(['states:RedriveExecution'], `${runs}/${LINES}:*`),
      ],
    });
    const found = `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:<${logicalIdOf(this.machine)}.Name>`;
    const reason = 'The name of an execution is chosen when it starts.';
    acknowledge(policy, { [`${found}:*]`]: reason, [`${found}/${LINES}:*]`]: reason });
  }

  #acknowledge(manifests: Bucket): void {
    const bucket = arnInFindings(manifests, Stack.of(this));
    acknowledge(this.machine, {
      [`AwsSolutions-IAM5[Resource::${bucket}/${indexPrefix(this.companyId)}/*]`]:
        'The machine reads every index of its company.',
      [`AwsSolutions-IAM5[Resource::${bucket}/${resultsPrefix(this.companyId)}/*]`]:
        'Step Functions chooses the names of the results of a run.',
      'AwsSolutions-IAM5[Resource::*]': 'Actions for log delivery and traces cannot be limited to a resource.',
      'AwsSolutions-SF1':
        'Each line is an execution, and a log of every event would be too large. The log has the failures. The results of the run have every line.',
    });
  }
}

function allow(actions: readonly string[], ...resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: [...actions], resources: [...resources] });
}
