import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { ProjectGatewayProps } from './options.ts';
import { ProjectGateway } from './project-gateway.ts';
import type { Settings } from './settings.ts';

/** Segue as a stack of its own: one gateway, made of settings, and what its operator needs to know of it. */
export class SegueStack extends Stack {
  constructor(scope: Construct, id: string, { settings }: { readonly settings: Settings }) {
    super(scope, id, { description: 'Segue: the front door to a multilingual project service' });
    // a part of that name is left out of the names of what is in it
    const gateway = new ProjectGateway(this, 'Default', this.#propsOf(settings));
    for (const [name, value] of Object.entries(this.#outputsOf(gateway, settings))) {
      if (value !== undefined) new CfnOutput(this, name, { value });
    }
  }

  #propsOf({ domainName, certificateArn, basePath, encryptionKeyArn, alarmTopicArn, ...settings }: Settings) {
    const domain = domainName !== undefined &&
      certificateArn !== undefined && {
        domain: {
          name: domainName,
          certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
          ...(basePath !== undefined && { basePath }),
        },
      };
    return {
      ...settings,
      ...domain,
      ...(encryptionKeyArn !== undefined && { encryptionKey: Key.fromKeyArn(this, 'Key', encryptionKeyArn) }),
      ...(alarmTopicArn !== undefined && { alarmTopic: Topic.fromTopicArn(this, 'Topic', alarmTopicArn) }),
    } satisfies ProjectGatewayProps;
  }

  #outputsOf(gateway: ProjectGateway, { service }: Settings): Record<string, string | undefined> {
    const { api, table, bucket, eventBus, signingSecret, upstreamSecret } = gateway;
    const fillIn = 'aws secretsmanager put-secret-value --secret-string file://upstream.json --secret-id';
    return {
      ApiUrl: api.url,
      DomainTarget: api.domainTarget,
      TableName: table.tableName,
      BucketName: bucket?.bucketName,
      EventBusName: eventBus.eventBusName,
      UsagePlanId: api.plan.usagePlanId,
      SigningSecretArn: signingSecret.secretArn,
      UpstreamSecretArn: upstreamSecret?.secretArn,
      ...(service.name === 'upstream' && { UpstreamUrl: service.url, UpstreamMark: service.mark }),
      CreateProjectTaskArn: gateway.functionOf('createProjectTask').functionArn,
      DeleteProjectTaskArn: gateway.functionOf('deleteProjectTask').functionArn,
      NextCommand: upstreamSecret
        ? `${fillIn} ${upstreamSecret.secretArn}`
        : `npm run segue -- company add acme --stack ${this.stackName}`,
    };
  }
}
