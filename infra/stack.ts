import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { readSettings, type Settings, type StreamedTable, stackNameOf } from './context.ts';
import { importNetwork } from './imported-network.ts';
import type { ProjectGatewayProps } from './options.ts';
import { ProjectGateway } from './project-gateway.ts';

/**
 * Adds Segue's stack to an app, with the settings from the app's context. cdk-nag checks the stack.
 * @throws {SettingError} if a setting is invalid
 */
export function addSegueStack(app: App): SegueStack {
  const settings = readSettings(app.node.getAllContext(), targetRegion(process.env));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return new SegueStack(app, stackNameOf(settings), { settings });
}

/**
 * Returns the region to which the CDK deploys. Without an account, as in a synthesis without credentials, the CDK
 * names its default region, which says nothing.
 */
function targetRegion({ CDK_DEFAULT_ACCOUNT, CDK_DEFAULT_REGION }: NodeJS.ProcessEnv): string | undefined {
  return CDK_DEFAULT_ACCOUNT ? CDK_DEFAULT_REGION : undefined;
}

/** A stack that contains one gateway. */
export class SegueStack extends Stack {
  constructor(scope: Construct, id: string, { settings }: { readonly settings: Settings }) {
    super(scope, id, { description: 'Segue: the front door to a multilingual project service' });
    // The CDK leaves the id `Default` out of resource names.
    new ProjectGateway(this, 'Default', this.#propsOf(settings));
  }

  #propsOf({
    stackName: _,
    domainName,
    certificateArn,
    basePath,
    mtlsTruststore,
    encryptionKeyArn,
    alarmTopicArn,
    projectsFrom,
    existingTable,
    existingCredentialsTable,
    existingDeliveriesTable,
    existingBucket,
    vpcId,
    subnetIds,
    securityGroupIds,
    ...settings
  }: Settings) {
    const domain = domainName !== undefined &&
      certificateArn !== undefined && {
        domain: {
          name: domainName,
          certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
          ...(basePath !== undefined && { basePath }),
          ...(mtlsTruststore && {
            mtls: {
              ...mtlsTruststore,
              bucket: Bucket.fromBucketName(this, 'Truststore', mtlsTruststore.bucketName),
            },
          }),
        },
      };
    const encryptionKey = encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'Key', encryptionKeyArn);
    return {
      ...settings,
      ...domain,
      ...importNetwork(this, { vpcId, subnetIds, securityGroupIds }),
      ...(encryptionKey && { encryptionKey }),
      ...(existingTable && { existingTable: this.#tableOf('ExistingTable', existingTable, encryptionKey) }),
      ...(existingCredentialsTable !== undefined && {
        existingCredentialsTable: Table.fromTableAttributes(this, 'ExistingCredentialsTable', {
          tableName: existingCredentialsTable,
          ...(encryptionKey && { encryptionKey }),
        }),
      }),
      ...(existingDeliveriesTable && {
        existingDeliveriesTable: this.#tableOf('ExistingDeliveriesTable', existingDeliveriesTable, encryptionKey),
      }),
      ...(existingBucket !== undefined && {
        existingBucket: Bucket.fromBucketAttributes(this, 'ExistingBucket', {
          bucketName: existingBucket,
          ...(encryptionKey && { encryptionKey }),
        }),
      }),
      ...(projectsFrom && {
        projectsFrom: projectsFrom.map((name) => Bucket.fromBucketName(this, `ProjectsFrom-${name}`, name)),
      }),
      ...(alarmTopicArn !== undefined && { alarmTopic: Topic.fromTopicArn(this, 'Topic', alarmTopicArn) }),
    } satisfies ProjectGatewayProps;
  }

  #tableOf(id: string, { tableName, streamLabel }: StreamedTable, encryptionKey: IKey | undefined): ITable {
    const resourceName = `${tableName}/stream/${streamLabel}`;
    return Table.fromTableAttributes(this, id, {
      tableName,
      tableStreamArn: this.formatArn({ service: 'dynamodb', resource: 'table', resourceName }),
      ...(encryptionKey && { encryptionKey }),
    });
  }
}
