import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { countOf } from '../contract/count.ts';
import { planOutdated } from '../contract/failures.ts';
import type { Fault } from '../contract/faults.ts';
import type { Receipt } from '../contract/receipt.ts';

/** What a deletion removes, and of which project. */
export interface Removal {
  readonly projectId: number;
  readonly customId: string | null;
  /** The id of the deleted task; null for a whole project. */
  readonly taskId: string | null;
  readonly removes: Receipt['removed'];
}

/** What a plan counts. A custom id may name another project later. */
type Counted = Omit<Removal, 'customId'>;

// The calls are marked pure, so that a bundle that only makes plans has none of what compares them.

/** The schema of the content of a plan: project, task, target languages, segments, tasks. The task is a hash. */
const Content = /* @__PURE__ */ (() => {
  const count = z.nullable(z.int());
  return z.tuple([z.int(), z.nullable(z.string()), count, count, count]);
})();

/** A plan that a client has sent with its deletion. */
export type PlannedRemoval = z.infer<typeof Content>;

/** The names of the values of a plan, in its order, as JSON pointers into the plan's answer. */
const POINTERS = ['/projectId', '/taskId', '/removes/targetLanguages', '/removes/segments', '/removes/tasks'] as const;

function contentOf({ projectId, taskId, removes }: Counted): PlannedRemoval {
  // A hash has the same length for every task id, so that the plan fits into a header.
  const task = taskId === null ? null : createHash('sha256').update(taskId).digest('base64url');
  return [projectId, task, removes.targetLanguages, removes.segments, removes.tasks];
}

/** Makes the plan of a deletion: the token of what it removes. It has letters, digits, `-` and `_`. */
export function removalToken(removal: Counted): string {
  return Buffer.from(JSON.stringify(contentOf(removal))).toString('base64url');
}

/** Reads the plan of a deletion; `undefined` if the text is not one. */
export function readRemovalToken(text: string): PlannedRemoval | undefined {
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
export function requirePlanned(planned: PlannedRemoval | undefined, removal: Counted): void {
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
  '/removes/targetLanguages': /* @__PURE__ */ counted('target language'),
  '/removes/segments': /* @__PURE__ */ counted('segment'),
  '/removes/tasks': /* @__PURE__ */ counted('task'),
};
