import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { countOf } from '../contract/count.ts';
import { planOutdated } from '../contract/failures.ts';
import type { Fault } from '../contract/faults.ts';
import { required } from '../contract/fields.ts';
import { Receipt } from '../contract/receipt.ts';

const { scope, projectId, customId, taskId, removed } = Receipt.shape;

/** The schema of the plan of a deletion: what the deletion would remove now. */
export const DeletionPlan = z.strictObject({
  scope,
  projectId,
  customId,
  taskId,
  removes: removed,
  plan: required(
    z.string(),
    'A token for the header `If-Match` of the deletion, in quotation marks. Segue then deletes only what this plan shows.',
  ),
});
export type DeletionPlan = z.infer<typeof DeletionPlan>;

/** What a deletion removes, and of which project: everything that its plan counts. */
export interface Removal {
  readonly projectId: number;
  /** The id of the deleted task; null for a whole project. */
  readonly taskId: string | null;
  readonly removes: Receipt['removed'];
}

const Count = z.nullable(z.int());

/** The schema of the content of a plan: project, task, target languages, segments, tasks. The task is a hash. */
const Content = z.tuple([z.int(), z.nullable(z.string()), Count, Count, Count]);

/** A plan that a client has sent with its deletion. */
export type PlannedDeletion = z.infer<typeof Content>;

/** The names of the values of a plan, in its order, as JSON pointers into the plan's answer. */
const POINTERS = ['/projectId', '/taskId', '/removes/targetLanguages', '/removes/segments', '/removes/tasks'] as const;

function contentOf({ projectId, taskId, removes }: Removal): PlannedDeletion {
  // A hash has the same length for every task id, so that the plan fits into a header.
  const task = taskId === null ? null : createHash('sha256').update(taskId).digest('base64url');
  return [projectId, task, removes.targetLanguages, removes.segments, removes.tasks];
}

/** Makes the token of a plan. It has letters, digits, `-` and `_`. */
function planToken(removal: Removal): string {
  return Buffer.from(JSON.stringify(contentOf(removal))).toString('base64url');
}

/** Makes the answer to a request for a plan. */
export function planOf(removal: Removal, customId: string | null): DeletionPlan {
  const { projectId, taskId, removes } = removal;
  const scope = taskId === null ? 'project' : 'task';
  return { scope, projectId, customId, taskId, removes, plan: planToken(removal) };
}

/** Reads the token of a plan; `undefined` if the text is not one. */
export function readPlanToken(text: string): PlannedDeletion | undefined {
  try {
    return Content.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/**
 * Checks that a deletion removes what its plan says.
 * @param planned absent if the client has sent no plan
 * @throws {Problem} `plan-outdated`, with every difference
 */
export function requirePlanned(planned: PlannedDeletion | undefined, removal: Removal): void {
  if (!planned) return;
  const present = contentOf(removal);
  const errors = POINTERS.flatMap((pointer, index): Fault[] => {
    const [before, now] = [planned[index], present[index]];
    return before === now ? [] : [{ pointer, code: 'plan-differs', detail: DETAILS[pointer](before, now) }];
  });
  if (errors.length > 0) throw planOutdated(errors);
}

const counted = (noun: string) => (before: unknown, now: unknown) =>
  `The plan removes ${typeof before === 'number' ? countOf(before, noun) : `an unknown number of ${noun}s`}. Now the deletion would remove ${now ?? 'an unknown number'}.`;

/** Makes the details of differences. Ids are not repeated. */
const DETAILS: Readonly<Record<(typeof POINTERS)[number], (before: unknown, now: unknown) => string>> = {
  '/projectId': () => 'The plan is for another project. A custom id can name another project after a deletion.',
  '/taskId': () => 'The plan is for another task, or for the whole project.',
  '/removes/targetLanguages': counted('target language'),
  '/removes/segments': counted('segment'),
  '/removes/tasks': counted('task'),
};
