import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { AGENTS_PATH } from '../lib/contract/agents.ts';
import { getConsoleRoute } from '../lib/contract/console.ts';
import { SEGUE } from '../lib/contract/segue-command.ts';
import type { Api } from './api/api.ts';
import type { GatewayFunctions } from './functions/functions.ts';
import type { GatewayOptions } from './options.ts';
import type { Stores } from './stores/stores.ts';
import type { BulkProjects } from './workflow/bulk.ts';

interface OutputSources {
  readonly options: GatewayOptions;
  readonly stores: Stores;
  readonly functions: GatewayFunctions;
  readonly api: Api;
  readonly bulk: readonly BulkProjects[];
}

/** Returns the prefix of the names of a gateway's outputs and parameters, which must be unique in its stack. */
export function prefixOf(gateway: Construct): string {
  const ids = gateway.node.scopes.slice(Stack.of(gateway).node.scopes.length).map(({ node }) => node.id);
  // The CDK leaves the id `Default` out of logical ids, so it is left out here too.
  return ids
    .filter((id) => id !== 'Default')
    .join('')
    .replace(/[^A-Za-z0-9]/g, '');
}

/**
 * Adds a gateway's outputs to its stack, where `segue --stack` reads them. If the stack has several gateways, the names
 * of each gateway's outputs begin with the gateway's construct id.
 */
export function addOutputs(gateway: Construct, { options, stores, functions, api, bulk }: OutputSources): void {
  const stack = Stack.of(gateway);
  const prefix = prefixOf(gateway);
  const { service, encryptionKey } = options;
  const { upstreamSecret } = stores;
  const machines = bulk.map(({ companyId, machine }) => [companyId, machine.stateMachineArn] as const);
  const outputs: Record<string, string | undefined> = {
    ApiUrl: api.url,
    ApiId: api.rest.restApiId,
    DomainTarget: api.domainTarget,
    SecurityGroupId: functions.network?.created?.securityGroupId,
    ...(options.console && { ConsoleUrl: api.url + getConsoleRoute.path }),
    ...(options.agents && { AgentsUrl: api.url + AGENTS_PATH }),
    TableName: stores.table.tableName,
    CredentialsTableName: stores.credentialsTable.tableName,
    DeliveriesTableName: stores.deliveriesTable?.tableName,
    BucketName: stores.bucket?.bucketName,
    ManifestsBucketName: stores.manifests?.bucketName,
    EventBusName: stores.eventBus?.eventBusName,
    UsagePlanId: api.plan.usagePlanId,
    WebhookSecretsPrefix: stores.webhookSecretsPrefix,
    FetchSecretsPrefix: stores.fetchSecretsPrefix,
    EventSecretsPrefix: stores.eventSecretsPrefix,
    DestinationSecretsPrefix: stores.destinationSecretsPrefix,
    EncryptionKeyArn: encryptionKey?.keyArn,
    SigningSecretArn: stores.signingSecret.secretArn,
    CanarySecretArn: stores.canarySecret?.secretArn,
    UpstreamSecretArn: upstreamSecret?.secretArn,
    ...(service.name === 'upstream' && { UpstreamUrl: service.url, UpstreamMark: service.mark }),
    CreateProjectTaskArn: functions.lambda('createProjectTask').functionArn,
    PutProjectTaskArn: functions.lambda('putProjectTask').functionArn,
    DeleteProjectTaskArn: functions.lambda('deleteProjectTask').functionArn,
    GetProgressTaskArn: functions.lambda('getProgressTask').functionArn,
    ...(options.waits && { WaitForProjectTaskArn: functions.lambda('waitForProjectTask').functionArn }),
    NextCommand: upstreamSecret
      ? `aws secretsmanager put-secret-value --secret-string file://upstream.json --secret-id ${upstreamSecret.secretArn}`
      : `${SEGUE} company add acme --stack ${stack.stackName}${prefix && ` --gateway ${prefix}`}`,
    ...(bulk.length > 0 && { BulkMachines: stack.toJsonString(Object.fromEntries(machines)) }),
  };
  for (const [name, value] of Object.entries(outputs)) {
    if (value !== undefined) new CfnOutput(gateway, name, { value }).overrideLogicalId(prefix + name);
  }
}
