import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  StreamViewType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { GatewayOptions } from '../options.ts';

/** A table as the store needs it: items in partitions, in order, some of which expire; paid by use. */
export function newItemsTable(
  scope: Construct,
  id: string,
  { keepsData, deletionProtection, encryptionKey }: GatewayOptions,
  props: Pick<TableProps, 'pointInTimeRecoverySpecification'> = {},
): Table {
  return new Table(scope, id, {
    partitionKey: { name: 'partition', type: AttributeType.STRING },
    sortKey: { name: 'sort', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: encryptionKey ? TableEncryption.CUSTOMER_MANAGED : TableEncryption.AWS_MANAGED,
    ...(encryptionKey && { encryptionKey }),
    timeToLiveAttribute: 'expiresAt',
    // with anything more, what was erased could be read in the stream for a day
    stream: StreamViewType.KEYS_ONLY,
    deletionProtection,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...props,
  });
}
