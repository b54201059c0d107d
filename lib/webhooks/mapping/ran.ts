import * as z from 'zod/mini';

/** What came of a run, as its process says. No text of the expression's own is in it: that may be content. */
export const Ran = z.discriminatedUnion('kind', [
  /** JSON; absent where the result is nothing. */
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  /** A failure of JSONata, by its code and where it is in the expression. */
  z.strictObject({ kind: z.literal('failed'), code: z.string(), position: z.number() }),
  /** `unusable`: the result is no JSON value, such as a function; or JSONata itself failed. */
  z.strictObject({ kind: z.enum(['unusable', 'too-large', 'time', 'memory']) }),
]);
export type Ran = z.infer<typeof Ran>;
