import * as z from 'zod/mini';

/** The result of a run. Nothing of the message is in it, except in `json`. */
const Ran = z.discriminatedUnion('kind', [
  /** JSON; absent where the result is nothing. */
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  /** An error of JSONata. */
  z.strictObject({
    kind: z.literal('failed'),
    code: z.string(),
    /** Where it is in the expression. */
    position: z.number(),
    /** The part of the expression it is about. */
    token: z.optional(z.string()),
    /** The symbol that would be right there. */
    expected: z.optional(z.string()),
    /** Of an argument, from 1. */
    index: z.optional(z.number()),
  }),
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
