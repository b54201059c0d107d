import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { ProjectGateway } from './project-gateway.ts';
import type { Service } from './service.ts';
import type { BulkProjects } from './workflow/bulk.ts';

/**
 * Puts out what an operator needs to know of a gateway. In a stack where it is one thing of several the id of its construct
 * stands before each name; `segue --stack` finds them by that.
 */
export function putOut(gateway: ProjectGateway, service: Service, bulk: readonly BulkProjects[]): void {
  const stack = Stack.of(gateway);
  const ids = gateway.node.scopes.slice(stack.node.scopes.length).map(({ node }) => node.id);
  // by that name a construct is called as what it is in
  const prefix = ids
    .filter((id) => id !== 'Default')
    .join('')
    .replace(/[^A-Za-z0-9]/g, '');
  const outputs = {
    ...outputsOf(gateway, service, `${stack.stackName}${prefix && ` --gateway ${prefix}`}`),
    ...(bulk.length > 0 && { BulkMachines: stack.toJsonString(machinesOf(bulk)) }),
  };
  for (const [name, value] of Object.entries(outputs)) {
    if (value !== undefined) new CfnOutput(gateway, name, { value }).overrideLogicalId(prefix + name);
  }
}

/** The state machine of each company. */
function machinesOf(bulk: readonly BulkProjects[]): Record<string, string> {
  return Object.fromEntries(bulk.map(({ companyId, machine }) => [companyId, machine.stateMachineArn]));
}

/** @param place as the command line of `segue` says it */
function outputsOf(gateway: ProjectGateway, service: Service, place: string): Record<string, string | undefined> {
  const { api, table, deliveriesTable, bucket, manifests, eventBus, signingSecret, upstreamSecret } = gateway;
  const fillIn = 'aws secretsmanager put-secret-value --secret-string file://upstream.json --secret-id';
  return {
    ApiUrl: api.url,
    ApiId: api.rest.restApiId,
    DomainTarget: api.domainTarget,
    TableName: table.tableName,
    DeliveriesTableName: deliveriesTable.tableName,
    BucketName: bucket?.bucketName,
    ManifestsBucketName: manifests.bucketName,
    EventBusName: eventBus.eventBusName,
    UsagePlanId: api.plan.usagePlanId,
    WebhookSecretsPrefix: gateway.webhookSecretsPrefix,
    EncryptionKeyArn: gateway.encryptionKey?.keyArn,
    SigningSecretArn: signingSecret.secretArn,
    UpstreamSecretArn: upstreamSecret?.secretArn,
    ...(service.name === 'upstream' && { UpstreamUrl: service.url, UpstreamMark: service.mark }),
    CreateProjectTaskArn: gateway.functionOf('createProjectTask').functionArn,
    DeleteProjectTaskArn: gateway.functionOf('deleteProjectTask').functionArn,
    NextCommand: upstreamSecret
      ? `${fillIn} ${upstreamSecret.secretArn}`
      : `npm run segue -- company add acme --stack ${place}`,
  };
}
