import { Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { ProjectGatewayProps } from './options.ts';
import { ProjectGateway } from './project-gateway.ts';
import type { Settings } from './settings.ts';

/** Segue as a stack of its own: one gateway, made of settings. */
export class SegueStack extends Stack {
  constructor(scope: Construct, id: string, { settings }: { readonly settings: Settings }) {
    super(scope, id, { description: 'Segue: the front door to a multilingual project service' });
    // a part of that name is left out of the names of what is in it
    new ProjectGateway(this, 'Default', this.#propsOf(settings));
  }

  #propsOf({
    stackName: _,
    domainName,
    certificateArn,
    basePath,
    encryptionKeyArn,
    alarmTopicArn,
    projectsFrom,
    ...settings
  }: Settings) {
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
      ...(projectsFrom && {
        projectsFrom: projectsFrom.map((name) => Bucket.fromBucketName(this, `ProjectsFrom-${name}`, name)),
      }),
      ...(alarmTopicArn !== undefined && { alarmTopic: Topic.fromTopicArn(this, 'Topic', alarmTopicArn) }),
    } satisfies ProjectGatewayProps;
  }
}
