import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';

/** The schema of the data in the item of a custom id that a project has. */
export const CustomIdRecord = recordOf(() => ({
  projectId: z.int(),
  /** When the project was created, in milliseconds since 1970. */
  createdAtMs: z.number(),
}));
export type CustomIdRecord = z.infer<typeof CustomIdRecord>;
