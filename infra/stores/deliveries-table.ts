import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { type Grant, mayUse } from './grant.ts';
import { newItemsTable } from './items-table.ts';

/** What each use of the table calls; a transaction is allowed by the actions of its parts. */
const ACTIONS = {
  receive: ['GetItem', 'UpdateItem'],
  work: ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
} as const;
export type DeliveriesUse = keyof typeof ACTIONS;

/**
 * The table of what webhooks brought. It is one of its own, since a message whose work is done must not live on in
 * recovery, and since a stream has room for two who listen.
 */
export function makeDeliveriesTable(scope: Construct, options: GatewayOptions): Table {
  const table = newItemsTable(scope, 'Deliveries', options);
  acknowledge(table, {
    'AwsSolutions-DDB3':
      'It holds messages until their work is done, and recovery would bring back what was erased; whatever came of them is in the other table.',
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
