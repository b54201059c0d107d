import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { bulkDefinition } from '../../../infra/workflow/bulk-definition.ts';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { createStack } from '../cli.ts';

export const BUCKET = 'manifests';
const arn = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;

/** Replacements for parts of the definition that the emulator does not support. */
const NOT_EMULATED: readonly (readonly [ours: string, its: string])[] = [
  // The emulator runs lines as standard executions.
  ['"ExecutionType":"EXPRESS"', '"ExecutionType":"STANDARD"'],
  // The emulator reads no path here, needs a fraction, and tolerates every failure.
  ['"ToleratedFailurePercentagePath":"$.tolerated"', '"ToleratedFailurePercentage":100.0'],
  // A shorter pause shortens the test.
  ['"IntervalSeconds":2', '"IntervalSeconds":1'],
];

/** Returns the definition for the emulator, which writes no results. */
function emulated(definition: object): string {
  return NOT_EMULATED.reduce((text, [ours, its]) => {
    if (!text.includes(ours)) throw new Error(`The definition has no ${ours}`);
    return text.replaceAll(ours, its);
  }, JSON.stringify(definition));
}

/**
 * Deploys a bucket of manifests and the state machine of the company acme. The machine is an output of the stack Segue.
 */
export async function deployMachine(
  url: string,
): Promise<{ readonly stateMachineArn: string; readonly sfn: SFNClient }> {
  const config = JSON.stringify({ stepfunctions: { execute_state_machine: true } });
  await fetch(`${url}/moto-api/config`, { method: 'POST', body: config });
  const region = { LocationConstraint: 'eu-central-1' } as const;
  await s3Client().send(new CreateBucketCommand({ Bucket: BUCKET, CreateBucketConfiguration: region }));
  const functions = { prepareBulk: arn('prepareBulk'), bulkLine: arn('bulkLine') };
  const limits = { concurrency: 5, toleratedFailurePercentage: 100 };
  const definition = emulated(
    bulkDefinition({ partition: 'aws', companyId: 'acme', bucket: BUCKET, ...functions, ...limits }),
  );
  const sfn = new SFNClient();
  const roleArn = 'arn:aws:iam::123456789012:role/any';
  const { stateMachineArn = '' } = await sfn.send(new CreateStateMachineCommand({ name: 'Bulk', definition, roleArn }));
  await createStack('Segue', {
    TableName: 'table',
    CredentialsTableName: 'table',
    UsagePlanId: 'plan',
    ApiId: 'api',
    ManifestsBucketName: BUCKET,
    BulkMachines: JSON.stringify({ acme: stateMachineArn }),
  });
  return { stateMachineArn, sfn };
}
