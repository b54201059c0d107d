import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { COMPANY_ID } from '../../lib/contract/company-id.ts';
import { acknowledge } from '../acknowledge.ts';
import type { ProjectGateway } from '../project-gateway.ts';
import { SettingError } from '../setting-error.ts';
import { logicalIdOf } from '../stores/buckets.ts';
import { mayUse } from '../stores/grant.ts';
import { bulkDefinition, indexPrefix, LINES, resultsPrefix } from './bulk-definition.ts';

export interface BulkProjectsProps {
  readonly gateway: ProjectGateway;
  /** The company, written out: whoever may change the definition may act for it, and nobody who only starts an execution. */
  readonly companyId: string;
  /** How many lines are worked on at once, up to 10,000; 20 unless given. */
  readonly concurrency?: number;
  /** The share of lines, in percent, that may fail before the rest is left alone; all of them unless given. */
  readonly toleratedFailurePercentage?: number;
}

/** What Step Functions needs to write results of any size. */
const WRITING = ['s3:PutObject', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:AbortMultipartUpload'];
const LOG_DAYS = 30;
/** Of a Distributed Map, which takes 0 for no limit. */
const MOST_AT_ONCE = 10_000;

/**
 * A state machine that runs manifests of one company. Its input is `{ "key": "manifests/<company id>/…" }`, an object of
 * the gateway's `manifests`; `"run"` names the run, and `"validateOnly": true` creates nothing. Under one name each line
 * happens once, however often it is run or an execution redriven. Results are under `results/<company id>/`.
 */
export class BulkProjects extends Construct {
  readonly companyId: string;
  readonly machine: StateMachine;

  /** @throws {SettingError} where the company's id is none, or a number is out of its range */
  constructor(scope: Construct, id: string, props: BulkProjectsProps) {
    super(scope, id);
    const { gateway, companyId, concurrency = 20, toleratedFailurePercentage = 100 } = props;
    // a path would let whoever starts an execution choose the company
    if (!COMPANY_ID.test(companyId))
      throw new SettingError('companyId is 1 to 64 letters, digits, "_" or "-" of ASCII');
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MOST_AT_ONCE)
      throw new SettingError(`concurrency is a whole number from 1 to ${MOST_AT_ONCE}`);
    if (!(toleratedFailurePercentage >= 0 && toleratedFailurePercentage <= 100))
      throw new SettingError('toleratedFailurePercentage is a number from 0 to 100');
    this.companyId = companyId;
    const { manifests } = gateway;
    const prepareBulk = gateway.functionOf('prepareBulk').functionArn;
    const bulkLine = gateway.functionOf('bulkLine').functionArn;
    const parts = { companyId, prepareBulk, bulkLine, bucket: manifests.bucketName };
    const definition = bulkDefinition({ ...parts, concurrency, toleratedFailurePercentage });
    this.machine = new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(definition)),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'Log', { retention: LOG_DAYS, removalPolicy: RemovalPolicy.DESTROY }),
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
    const below = (prefix: string) => manifests.arnForObjects(`${prefix}/*`);
    for (const statement of [
      allow(['lambda:InvokeFunction'], prepareBulk, bulkLine),
      allow(['s3:GetObject'], below(indexPrefix(companyId))),
      allow(WRITING, below(resultsPrefix(companyId))),
      ...mayUse(manifests.encryptionKey, 's3', 'write'),
    ]) {
      this.machine.addToRolePolicy(statement);
    }
    this.#allowRuns();
    this.#acknowledge(manifests);
  }

  /** A line is an execution of the machine itself, which is made after its role: a policy of its own comes after both. */
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
    const reason = 'A run of a manifest has a name that is given when it begins.';
    acknowledge(policy, { [`${found}:*]`]: reason, [`${found}/${LINES}:*]`]: reason });
  }

  #acknowledge(manifests: Bucket): void {
    const bucket = logicalIdOf(manifests);
    acknowledge(this.machine, {
      [`AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${indexPrefix(this.companyId)}/*]`]: 'Of the company any index.',
      [`AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${resultsPrefix(this.companyId)}/*]`]:
        'Step Functions chooses the names of the results of a run.',
      'AwsSolutions-IAM5[Resource::*]': 'Logs are delivered and traces are sent by actions that have no resource.',
      'AwsSolutions-SF1':
        'A line is an execution: every event of a million of them would be a log that nobody reads. What failed is in it, and all in the results.',
    });
  }
}

function allow(actions: readonly string[], ...resources: readonly string[]): PolicyStatement {
  return new PolicyStatement({ actions: [...actions], resources: [...resources] });
}
