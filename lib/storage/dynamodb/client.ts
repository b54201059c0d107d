import * as z from 'zod/mini';
import { AwsRefusal, type JsonClientOptions, type JsonService, jsonClient } from '../../aws/json-client.ts';
import { object } from '../../contract/lazy-object.ts';
import type { RetryOptions } from '../../service/retry.ts';

/** DynamoDB, as a service of AWS. */
export const DYNAMODB: JsonService = {
  host: 'dynamodb',
  setting: 'AWS_ENDPOINT_URL_DYNAMODB',
  isFipsInGovCloud: true,
  protocol: '1.0',
  target: 'DynamoDB_20120810',
  answerMs: 2_000,
};

/** A client for the operations of Amazon DynamoDB that the store uses. */
export interface DynamoDb {
  /**
   * Calls an operation once, without retries.
   * @throws {AwsRefusal} if DynamoDB answers with an error; throws any other error if there is no usable answer
   */
  call<Name extends DynamoDbOperation>(
    operation: Name,
    request: DynamoDbRequests[Name],
  ): Promise<DynamoDbResults[Name]>;
  /** How the store pauses before it repeats a call. Default: real time, and `Math.random`. */
  readonly waits?: Pick<RetryOptions, 'sleep' | 'random'>;
}

interface DynamoDbOptions extends JsonClientOptions {
  /** Called for each answer by which DynamoDB itself failed, also if a retry then succeeds. */
  readonly onFailure?: (error: AwsRefusal) => void;
}

/**
 * Creates a client of Amazon DynamoDB. Create only one in each process. The region, credentials and endpoint come from
 * the environment unless `options` has them.
 */
export function dynamoDbClient({ onFailure = () => {}, ...options }: DynamoDbOptions): DynamoDb {
  const send = jsonClient(DYNAMODB, options);
  const report = (error: unknown) => {
    if (error instanceof AwsRefusal && !error.isOfRequest) onFailure(error);
    throw error;
  };
  return { call: async (operation, request) => RESULTS[operation].parse(await send(operation, request).catch(report)) };
}

/** The schema of a value in DynamoDB's JSON, for the types that the store uses: text, number, or bytes in base64. */
const Attribute = object(() => ({ S: z.optional(z.string()), N: z.optional(z.string()), B: z.optional(z.string()) }));
const Attributes = z.record(z.string(), Attribute);
const Keys = object(() => ({ Keys: z.array(Attributes), ConsistentRead: z.optional(z.boolean()) }));

export type Attributes = Readonly<Record<string, z.infer<typeof Attribute>>>;
export type Keys = z.infer<typeof Keys>;

interface OfTable {
  readonly TableName: string;
}
interface OfItem extends OfTable {
  readonly Key: Attributes;
}
interface Expressions {
  readonly ConditionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Attributes;
}

/** One part of a transaction: a check, or a change of one item. */
export type TransactionPart =
  | { readonly ConditionCheck: OfItem & Expressions }
  | { readonly Delete: OfItem & Expressions }
  | { readonly Update: OfItem & Expressions & { readonly UpdateExpression: string } }
  | { readonly Put: OfTable & { readonly Item: Attributes } };

/** The type of the request of each operation. */
interface DynamoDbRequests {
  readonly GetItem: OfItem & { readonly ConsistentRead: boolean };
  readonly BatchGetItem: { readonly RequestItems: Readonly<Record<string, Keys>> };
  readonly Query: OfTable &
    Expressions & {
      readonly KeyConditionExpression: string;
      readonly ScanIndexForward: boolean;
      readonly ConsistentRead: boolean;
      readonly Limit?: number | undefined;
      readonly ExclusiveStartKey?: Attributes | undefined;
    };
  readonly TransactWriteItems: {
    readonly TransactItems: readonly TransactionPart[];
    /** The token of the transaction. DynamoDB runs repeated requests with the same token only once. */
    readonly ClientRequestToken: string;
  };
}
type DynamoDbOperation = keyof DynamoDbRequests;

/** The schemas of each operation's answer, with only the fields that the store reads. */
const Results = {
  GetItem: object(() => ({ Item: z.optional(Attributes) })),
  BatchGetItem: object(() => ({
    Responses: z.optional(z.record(z.string(), z.array(Attributes))),
    UnprocessedKeys: z.optional(z.record(z.string(), Keys)),
  })),
  Query: object(() => ({ Items: z.optional(z.array(Attributes)), LastEvaluatedKey: z.optional(Attributes) })),
  TransactWriteItems: object(() => ({})),
};
type DynamoDbResults = { readonly [Name in DynamoDbOperation]: z.infer<(typeof Results)[Name]> };

/** The schemas of `Results`, typed so that the name of the operation determines the type of the result. */
const RESULTS: { readonly [Name in DynamoDbOperation]: z.ZodMiniType<DynamoDbResults[Name]> } = Results;
