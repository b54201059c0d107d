import * as z from 'zod/mini';

/** A value of DynamoDB as its JSON has it: of one of the types that the store uses. Bytes are base64. */
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

/** What is asked for by each operation that the store uses. */
export interface Requests {
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
    /** By which DynamoDB knows a request again that it has carried out. */
    readonly ClientRequestToken: string;
  };
}
export type Operation = keyof Requests;

/** What each operation answers, as far as the store reads it. */
export interface Answers {
  readonly GetItem: { readonly Item?: Attributes | undefined };
  readonly BatchGetItem: {
    readonly Responses?: Readonly<Record<string, readonly Attributes[]>> | undefined;
    readonly UnprocessedKeys?: Readonly<Record<string, Keys>> | undefined;
  };
  readonly Query: {
    readonly Items?: readonly Attributes[] | undefined;
    readonly LastEvaluatedKey?: Attributes | undefined;
  };
  readonly TransactWriteItems: object;
}

export const ANSWERS: { readonly [Name in Operation]: z.ZodMiniType<Answers[Name]> } = {
  GetItem: z.object({ Item: z.optional(Attributes) }),
  BatchGetItem: z.object({
    Responses: z.optional(z.record(z.string(), z.array(Attributes))),
    UnprocessedKeys: z.optional(z.record(z.string(), Keys)),
  }),
  Query: z.object({ Items: z.optional(z.array(Attributes)), LastEvaluatedKey: z.optional(Attributes) }),
  TransactWriteItems: z.object({}),
};
