import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { type Grant, mayUse } from './grant.ts';
import type { GatewayOptions } from './options.ts';

/** What each use of the table calls; a transaction is allowed by the actions of its parts. */
const ACTIONS = {
  accept: ['GetItem', 'UpdateItem'],
} as const;
export type DeliveriesUse = keyof typeof ACTIONS;

/** What webhooks brought. It is never recoverable: a message that was erased must not live on in a copy. */
export function makeDeliveriesTable(
  scope: Construct,
  { keepsData, deletionProtection, encryptionKey }: GatewayOptions,
): Table {
  const table = new Table(scope, 'DeliveriesTable', {
    partitionKey: { name: 'partition', type: AttributeType.STRING },
    sortKey: { name: 'sort', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: encryptionKey ? TableEncryption.CUSTOMER_MANAGED : TableEncryption.AWS_MANAGED,
    ...(encryptionKey && { encryptionKey }),
    timeToLiveAttribute: 'expiresAt',
    stream: StreamViewType.KEYS_ONLY,
    deletionProtection,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  acknowledge(table, {
    'AwsSolutions-DDB3': 'A message is erased once it is worked on: a copy to recover it from would keep it.',
  });
  return table;
}

/** Using the table. */
export function grantDeliveries(table: ITable, use: DeliveriesUse): Grant {
  const statement = new PolicyStatement({
    actions: ACTIONS[use].map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
  });
  return {
    statements: [statement, ...mayUse(table.encryptionKey, 'dynamodb', 'write')],
    environment: { SEGUE_DELIVERIES_TABLE: table.tableName },
  };
}
