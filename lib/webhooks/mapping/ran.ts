import * as z from 'zod/mini';

/** What came of a run. No text of the expression's own is in it: that may be content. */
const Ran = z.discriminatedUnion('kind', [
  /** JSON; absent where the result is nothing. */
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  /** A failure of JSONata, by its code and where it is in the expression. */
  z.strictObject({ kind: z.literal('failed'), code: z.string(), position: z.number() }),
  /** `unusable`: the result is no JSON value, such as a function; or JSONata itself failed. */
  z.strictObject({ kind: z.enum(['unusable', 'too-large', 'time', 'memory']) }),
]);
export type Ran = z.infer<typeof Ran>;

/** What a process says of a run. */
export const Answer = z.strictObject({
  ran: Ran,
  /** Whether the process is to run nothing more: it ends, or has kept too much memory. */
  isSpent: z.boolean(),
});
export type Answer = z.infer<typeof Answer>;
