import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { type Grant, mayUse } from './grant.ts';
import { newItemsTable } from './items-table.ts';

/** What each use of the table calls; a transaction is allowed by the actions of its parts. */
const ACTIONS = {
  authenticate: ['GetItem'],
  issueTokens: ['GetItem', 'UpdateItem'],
  // a second use of a token ends its family only while the attempt that saw it has its key still
  refreshTokens: ['GetItem', 'UpdateItem', 'ConditionCheckItem'],
  readProjects: ['GetItem', 'BatchGetItem'],
  // it ends the lease of a frozen request before it reports the request as failed
  readOperations: ['GetItem', 'BatchGetItem', 'UpdateItem'],
  // what is too large for lists is read as a whole
  listProjects: ['GetItem', 'BatchGetItem', 'Query'],
  changeProjects: ['GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem'],
  // by a key or a company, which the deletion's transaction finds active
  delete: ['GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
  sweep: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem'],
  readLedger: ['GetItem'],
  listLedger: ['GetItem', 'Query'],
  changeLedger: ['GetItem', 'UpdateItem', 'DeleteItem'],
  // by a key or a company, which the claim's transaction finds active
  deleteOwned: ['GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  // a mark that outlived its operation goes only while the operation's record is as it was read
  settleLedger: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  publish: ['GetItem'],
  readSources: ['GetItem'],
  readCompanies: ['GetItem'],
} as const;
export type TableUse = keyof typeof ACTIONS;

/** Whose receipts say until when a deletion could be undone. */
const DELETING: readonly TableUse[] = ['changeProjects', 'delete'];
const READING: readonly TableUse[] = [
  'authenticate',
  'readProjects',
  'listProjects',
  'publish',
  'readSources',
  'readCompanies',
  'readLedger',
  'listLedger',
];

/**
 * The one table: companies' keys, families of tokens, and everything of the hosted service but large payloads; or in
 * front of another service who owns what there, and what was sent.
 */
export function makeTable(scope: Construct, options: GatewayOptions): Table {
  const { recoveryDays } = options;
  const isRecoverable = recoveryDays > 0;
  const table = newItemsTable(scope, 'Table', options, {
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: isRecoverable,
      ...(isRecoverable && { recoveryPeriodInDays: recoveryDays }),
    },
  });
  if (!isRecoverable) {
    acknowledge(table, {
      'AwsSolutions-DDB3': 'Whoever set recoveryDays to 0 wants deletions to be for ever at once.',
    });
  }
  return table;
}

/** Using the table. */
export function grantTable(table: ITable, use: TableUse, recoveryDays: number): Grant {
  const statement = new PolicyStatement({
    actions: ACTIONS[use].map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
  });
  const access = READING.includes(use) ? 'read' : 'write';
  return {
    statements: [statement, ...mayUse(table.encryptionKey, 'dynamodb', access)],
    environment: {
      SEGUE_TABLE: table.tableName,
      ...(DELETING.includes(use) && recoveryDays > 0 && { SEGUE_RECOVERY_DAYS: String(recoveryDays) }),
    },
  };
}
