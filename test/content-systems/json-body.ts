import type * as z from 'zod/mini';

/** Returns a body as a schema reads it; `undefined` if it is not JSON, or has another shape. */
export function parsedOr<T>(schema: z.ZodMiniType<T>, body: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
