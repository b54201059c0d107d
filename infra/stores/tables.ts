import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { TableAction } from '../functions/function-spec.ts';
import type { GatewayOptions } from '../options.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { type Grant, keyStatements } from './grant.ts';

type OwnProps = Pick<TableProps, 'stream' | 'maxWriteRequestUnits'>;

/** Returns the properties of a table that requests write to: its stream, and the limit on its write units. */
function writtenTable({ maxWriteRequestUnits }: GatewayOptions): OwnProps {
  return {
    // A stream with whole items would keep erased content readable for a day.
    stream: StreamViewType.KEYS_ONLY,
    ...(maxWriteRequestUnits !== undefined && { maxWriteRequestUnits }),
  };
}

/**
 * Creates the main table. It holds the webhook sources and the events. For the hosted service, it also holds the
 * projects. For an upstream service, it also holds the ledger of projects and requests.
 */
export function createMainTable(scope: Construct, options: GatewayOptions): Table {
  return createRecoverableTable(scope, 'Table', options, writtenTable(options));
}

/**
 * Creates the table of credentials: the companies with the hashes of their API keys, the state of their tokens, and the
 * guards that deletions check. It is a table of its own, so that only the functions that check credentials can read
 * them.
 */
export function createCredentialsTable(scope: Construct, options: GatewayOptions): Table {
  return createRecoverableTable(scope, 'Credentials', options);
}

/** Creates a table with point-in-time recovery, unless `recoveryDays` is 0. */
function createRecoverableTable(scope: Construct, id: string, options: GatewayOptions, props: OwnProps = {}): Table {
  const { recoveryDays } = options;
  const isRecoverable = recoveryDays > 0;
  const table = createTable(scope, id, options, {
    ...props,
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: isRecoverable,
      ...(isRecoverable && { recoveryPeriodInDays: recoveryDays }),
    },
  });
  if (!isRecoverable) {
    acknowledge(table, { 'AwsSolutions-DDB3': 'recoveryDays is 0, which makes deletions final at once.' });
  }
  return table;
}

/**
 * Creates the table of webhook deliveries. They are not in the main table, because point-in-time recovery would bring
 * back erased messages. Also, the stream of a table serves at most two functions, and with the hosted service the main
 * table already has two.
 */
export function createDeliveriesTable(scope: Construct, options: GatewayOptions): Table {
  const table = createTable(scope, 'Deliveries', options, writtenTable(options));
  acknowledge(table, {
    'AwsSolutions-DDB3':
      'Segue erases messages from the table once they are processed. Point-in-time recovery would bring them back.',
  });
  return table;
}

function createTable(
  scope: Construct,
  id: string,
  options: GatewayOptions,
  props: OwnProps & Pick<TableProps, 'pointInTimeRecoverySpecification'>,
): Table {
  const { keepsData, deletionProtection, encryptionKey } = options;
  return new Table(scope, id, {
    partitionKey: { name: 'partition', type: AttributeType.STRING },
    sortKey: { name: 'sort', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: encryptionKey ? TableEncryption.CUSTOMER_MANAGED : TableEncryption.AWS_MANAGED,
    ...(encryptionKey && { encryptionKey }),
    timeToLiveAttribute: 'expiresAt',
    deletionProtection,
    // CloudFormation cannot delete a protected table. So if the first deployment fails, the table must be kept, or the
    // rollback would fail too.
    removalPolicy: keepsData && deletionProtection ? RemovalPolicy.RETAIN : removalPolicyOf(options),
    ...props,
  });
}

const READ_ACTIONS: readonly TableAction[] = ['GetItem', 'BatchGetItem', 'Query'];

/** Grants actions on a table. @param variable the environment variable for the table's name */
export function grantTable(table: ITable, actions: readonly TableAction[], variable: string): Grant {
  const isReadOnly = actions.every((action) => READ_ACTIONS.includes(action));
  return {
    statements: [
      new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [table.tableArn] }),
      ...keyStatements(table.encryptionKey, 'dynamodb', isReadOnly ? 'read' : 'write'),
    ],
    environment: { [variable]: table.tableName },
  };
}
