import * as z from 'zod/mini';
import { putPlanOutdated } from '../contract/failures.ts';
import type { Fault } from '../contract/faults.ts';
import type { PlannedPut, PutCounts, PutPlan } from './put.ts';

/** A plan of a put that does something, or leaves everything as it is. */
type Planned = Exclude<PutPlan, { readonly outcome: 'outdated' }>;

/** The names of the numbers of a plan, in its order, as JSON pointers into the plan's answer. */
const COUNTS: Readonly<Record<`/${string}`, (counts: PutCounts) => number>> = {
  '/segments/kept': ({ segments }) => segments.kept,
  '/segments/changed': ({ segments }) => segments.changed,
  '/segments/added': ({ segments }) => segments.added,
  '/segments/removed': ({ segments }) => segments.removed,
  '/targetLanguages/kept': ({ targetLanguages }) => targetLanguages.kept,
  '/targetLanguages/added': ({ targetLanguages }) => targetLanguages.added,
  '/targetLanguages/removed': ({ targetLanguages }) => targetLanguages.removed,
};
const POINTERS = Object.keys(COUNTS);

/** The schema of the content of a plan: the project, the digest, and the counts. */
const Content = z.tuple([z.nullable(z.int()), z.string().check(z.maxLength(64))], z.int());

function contentOf(plan: Planned): PlannedPut {
  return [plan.projectId, plan.digest, ...Object.values(COUNTS).map((count) => count(plan))];
}

/** Makes the token of a plan. It has letters, digits, `-` and `_`. */
export function putToken(plan: Planned): string {
  return Buffer.from(JSON.stringify(contentOf(plan))).toString('base64url');
}

/** Reads the token of a plan; `undefined` if the text is not one. */
export function readPutToken(text: string): PlannedPut | undefined {
  try {
    const content = Content.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return content.length === 2 + POINTERS.length ? content : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks that a put does what its plan says.
 * @param planned absent if the client has sent no plan
 * @throws {Problem} `plan-outdated`, with every difference
 */
export function requirePlannedPut(planned: PlannedPut | undefined, plan: Planned): void {
  if (!planned) return;
  const [projectId, digest, ...counts] = planned;
  const [presentId, presentDigest, ...present] = contentOf(plan);
  const errors: Fault[] = [];
  if (projectId !== presentId)
    errors.push(differs('/projectId', 'The plan is for another project, or for a project that did not exist.'));
  for (const [index, pointer] of POINTERS.entries()) {
    const [before, now] = [counts[index], present[index]];
    if (before !== now) errors.push(differs(pointer, `In the plan this is ${before}. Now it would be ${now}.`));
  }
  if (errors.length === 0 && digest !== presentDigest) {
    errors.push(
      differs(
        '',
        'The project in the request, or what the put would remove or make outdated, is not that of the plan.',
      ),
    );
  }
  if (errors.length > 0) throw putPlanOutdated(errors);
}

function differs(pointer: string, detail: string): Fault {
  return { pointer, code: 'plan-differs', detail };
}
