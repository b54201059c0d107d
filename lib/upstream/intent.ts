import * as z from 'zod/mini';
import { Receipt, RequestedBy } from '../contract/receipt.ts';
import { ContentDigests } from './content-digests.ts';

/** A creation that may have been sent. It holds ids, times and digests, never content. */
const CreateIntent = z.strictObject({
  kind: z.literal('create'),
  requestId: z.string(),
  requestedBy: RequestedBy,
  /** The caller's custom id; null where it gave none. */
  customId: z.nullable(z.string()),
  /** The custom id at the service. */
  name: z.string(),
  /** No project that is older is what this creation made, in milliseconds since 1970. */
  sinceMs: z.number(),
  /** From then on, what cannot be found was not made: nothing sent before is still on its way. */
  settledAfterMs: z.number(),
  /** Only if others may use the name too: in an account of the company's own, it is the caller's custom id. */
  content: z.optional(ContentDigests),
  /**
   * Set if the service answered 409 before any other attempt: the project is this creation's only if it has this start
   * date too. Then a proxy sent the creation twice.
   */
  startDateUtc: z.optional(z.string()),
});
export type CreateIntent = z.infer<typeof CreateIntent>;

/** A deletion that may have been sent, of something that was there before. */
const DeleteIntent = z.strictObject({
  kind: z.literal('delete'),
  /** Its id in the ledger. */
  projectId: z.int(),
  /** Its id at the service. */
  serviceId: z.int(),
  customId: z.nullable(z.string()),
  /** The custom id at the service. */
  name: z.string(),
  taskId: z.nullable(z.string()),
  /** Whether the project has segments that are not the task's. */
  hasOtherSegments: z.boolean(),
  requestId: z.string(),
  requestedBy: RequestedBy,
  /** When it was entered in the ledger, in milliseconds since 1970. */
  enteredAtMs: z.number(),
  /** What goes with it, as it was read before. */
  removed: Receipt.shape.removed,
  settledAfterMs: z.number(),
  /** Set if the service answered 404 to the last request, and still showed the project: it may not allow the deletion. */
  isDisallowed: z.optional(z.boolean()),
});
export type DeleteIntent = z.infer<typeof DeleteIntent>;

const Intent = z.discriminatedUnion('kind', [CreateIntent, DeleteIntent]);
type Intent = z.infer<typeof Intent>;

/** Reads the intent of a creation; `undefined` where there is none. */
export function creationIn(kept: unknown): CreateIntent | undefined {
  const intent = intentIn(kept);
  return intent?.kind === 'create' ? intent : undefined;
}

/** Reads the intent of a deletion; `undefined` where there is none. */
export function deletionIn(kept: unknown): DeleteIntent | undefined {
  const intent = intentIn(kept);
  return intent?.kind === 'delete' ? intent : undefined;
}

/** The intent that an attempt at a creation was planned with. */
export function plannedCreation(kept: unknown): CreateIntent {
  const intent = creationIn(kept);
  if (!intent) throw new TypeError('An attempt at a creation has the intent of one');
  return intent;
}

/** The intent that an attempt at a deletion was planned with. */
export function plannedDeletion(kept: unknown): DeleteIntent {
  const intent = deletionIn(kept);
  if (!intent) throw new TypeError('An attempt at a deletion has the intent of one');
  return intent;
}

function intentIn(kept: unknown): Intent | undefined {
  return kept === undefined ? undefined : Intent.parse(kept);
}
