import type * as z from 'zod/mini';
import { faultsOf, type NamesAt } from '../../contract/faults.ts';
import { Problem } from '../../contract/problem.ts';

/**
 * Checks what came as a command.
 * @param detail what it is not, and that nothing was done
 * @throws {Problem} `invalid-parameter` with every fault
 */
export function readBy<T>(schema: z.ZodMiniType<T>, input: unknown, namesAt: NamesAt, detail: string): T {
  const read = schema.safeParse(input);
  if (read.success) return read.data;
  const errors = [...faultsOf(read.error.issues, input, [], namesAt)];
  throw new Problem('invalid-parameter', { detail, errors });
}
