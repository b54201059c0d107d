import * as z from 'zod/mini';
import { Expressions } from './expressions.ts';
import { Attributes, Key } from './wire.ts';

export const InTable = z.object({ TableName: z.string() });
export const Put = z.strictObject({ TableName: z.string(), Item: Attributes });
const AtKey = z.extend(Expressions, { TableName: z.string(), Key });
const Operation = z.union([
  z.strictObject({ Put }),
  z.strictObject({ Update: AtKey }),
  z.strictObject({ Delete: AtKey }),
  z.strictObject({ ConditionCheck: AtKey }),
]);
export type Operation = z.infer<typeof Operation>;
export const Transaction = z.object({ TransactItems: z.array(Operation), ClientRequestToken: z.string() });
export type Transaction = z.infer<typeof Transaction>;
export const Get = z.object({ Key, ConsistentRead: z._default(z.boolean(), false) });
export const BatchGet = z.object({
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(Key), ConsistentRead: z._default(z.boolean(), false) })),
});
export type BatchGet = z.infer<typeof BatchGet>;
export const Query = z.extend(Expressions, {
  ConsistentRead: z._default(z.boolean(), false),
  ScanIndexForward: z._default(z.boolean(), true),
  Limit: z.optional(z.int().check(z.minimum(1))),
  ExclusiveStartKey: z.optional(Key),
});
export type Query = z.infer<typeof Query>;
export const Scan = z.extend(Expressions, { ConsistentRead: z.literal(true) });
