import * as z from 'zod/mini';
import { type JsonClientOptions, type JsonService, jsonClient } from '../../aws/json-client.ts';

const DYNAMODB: JsonService = {
  host: 'dynamodb',
  setting: 'AWS_ENDPOINT_URL_DYNAMODB',
  protocol: '1.0',
  target: 'DynamoDB_20120810',
  answerMs: 2_000,
};

/** A client with the operations of Amazon DynamoDB that the store uses. */
export interface DynamoDb {
  /**
   * Makes one call without a retry.
   * @throws {AwsRefusal} if DynamoDB answers with an error; any other error means that there was no usable answer
   */
  call<Name extends DynamoDbOperation>(
    operation: Name,
    request: DynamoDbRequests[Name],
  ): Promise<DynamoDbResults[Name]>;
}

/**
 * Creates a client of Amazon DynamoDB. Create one for each process. Region, credentials and endpoint come from the
 * environment unless given.
 */
export function dynamoDbClient(options: JsonClientOptions): DynamoDb {
  const send = jsonClient(DYNAMODB, options);
  return { call: async (operation, request) => RESULTS[operation].parse(await send(operation, request)) };
}

/** A value in DynamoDB's JSON, of one of the types that the store uses. Bytes are base64. */
const Attribute = z.object({ S: z.optional(z.string()), N: z.optional(z.string()), B: z.optional(z.string()) });
const Attributes = z.record(z.string(), Attribute);
const Keys = z.object({ Keys: z.array(Attributes), ConsistentRead: z.optional(z.boolean()) });

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

/** One part of a transaction. */
export type TransactionPart =
  | { readonly ConditionCheck: OfItem & Expressions }
  | { readonly Delete: OfItem & Expressions }
  | { readonly Update: OfItem & Expressions & { readonly UpdateExpression: string } }
  | { readonly Put: OfTable & { readonly Item: Attributes } };

/** The request of each operation. */
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
    /** A repeated request with this token is made once. */
    readonly ClientRequestToken: string;
  };
}
type DynamoDbOperation = keyof DynamoDbRequests;

/** The fields of each operation's answer that the store reads. */
const Results = {
  GetItem: z.object({ Item: z.optional(Attributes) }),
  BatchGetItem: z.object({
    Responses: z.optional(z.record(z.string(), z.array(Attributes))),
    UnprocessedKeys: z.optional(z.record(z.string(), Keys)),
  }),
  Query: z.object({ Items: z.optional(z.array(Attributes)), LastEvaluatedKey: z.optional(Attributes) }),
  TransactWriteItems: z.object({}),
};
type DynamoDbResults = { readonly [Name in DynamoDbOperation]: z.infer<(typeof Results)[Name]> };

/** The same schemas, typed so that the operation chooses the type of the result. */
const RESULTS: { readonly [Name in DynamoDbOperation]: z.ZodMiniType<DynamoDbResults[Name]> } = Results;
