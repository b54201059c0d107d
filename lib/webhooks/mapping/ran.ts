import * as z from 'zod/mini';
import type { Ran } from './program.ts';

const Ran = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('result'), json: z.optional(z.string()) }),
  z.strictObject({ kind: z.literal('failed'), code: z.string(), position: z.number() }),
  z.strictObject({ kind: z.enum(['unusable', 'too-large', 'time', 'memory']) }),
]);

/** Reads what a process says of a run. @throws where it says something else */
export function readRan(message: unknown): Ran {
  return Ran.parse(message);
}
