import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CredentialsAccess, TableAction } from '../functions/function-spec.ts';
import { type Grant, keyStatements } from './grant.ts';

/** The kinds of items in the credentials table, each with the pattern of its partitions. */
const PARTITIONS = {
  companies: 'credentials/companies',
  company: 'credentials/company/*',
  key: 'credentials/key/*',
  lastUse: 'credentials/last-use/*',
  tokens: 'credentials/tokens/*',
  guard: 'credentials/guard/*',
} as const;

/** Actions on the items of some kinds. */
interface Allowed {
  readonly actions: readonly TableAction[];
  readonly kinds: readonly (keyof typeof PARTITIONS)[];
}

const ALLOWED: Readonly<Record<CredentialsAccess, readonly Allowed[]>> = {
  authenticate: [
    { actions: ['GetItem'], kinds: ['company', 'key', 'tokens'] },
    { actions: ['UpdateItem'], kinds: ['lastUse'] },
  ],
  issueTokens: [
    { actions: ['GetItem'], kinds: ['company', 'key', 'tokens'] },
    // The second use of a refresh token ends its family only while the request still holds its idempotency key.
    { actions: ['UpdateItem', 'ConditionCheckItem'], kinds: ['tokens'] },
  ],
  checkGuards: [{ actions: ['GetItem', 'ConditionCheckItem'], kinds: ['guard'] }],
  readCompany: [{ actions: ['GetItem'], kinds: ['company'] }],
  listCompanies: [{ actions: ['Query'], kinds: ['companies'] }],
};

/**
 * Grants access to some kinds of items in the credentials table. DynamoDB compares the partition of each item that a
 * request names with the patterns, also in a transaction.
 */
export function grantCredentials(table: ITable, access: readonly CredentialsAccess[]): Grant {
  const allowed = access.flatMap((each) => ALLOWED[each]);
  const isReadOnly = allowed.every(({ actions }) => actions.every((action) => ['GetItem', 'Query'].includes(action)));
  return {
    statements: [
      ...allowed.map(
        ({ actions, kinds }) =>
          new PolicyStatement({
            actions: actions.map((action) => `dynamodb:${action}`),
            resources: [table.tableArn],
            conditions: {
              'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map((kind) => PARTITIONS[kind]) },
              // `ForAllValues` also holds for a request that names no partition.
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          }),
      ),
      ...keyStatements(table.encryptionKey, 'dynamodb', isReadOnly ? 'read' : 'write'),
    ],
    environment: { SEGUE_CREDENTIALS_TABLE: table.tableName },
  };
}
