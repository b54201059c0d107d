import { expect } from 'vitest';
import { type Clock, checkProject } from '../../lib/contract/check.ts';
import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { ProblemType } from '../../lib/contract/problems.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import type { CallContext } from '../../lib/service/port.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';

/** The time of every test that holds the clock. */
export const NOW_MS = Date.UTC(2026, 10, 20, 9, 30);

/** A clock that stands still at that time. */
export const heldNow = (): number => NOW_MS;

/** The clock of a service with the usual tolerance. */
export const CLOCK: Clock = { nowMs: NOW_MS, toleranceMs: LIMITS.startDateToleranceMs };
const MONTH_MS = 30 * 86_400_000;

/** The smallest project that has one of everything, sent at `NOW_MS`. Fields given replace its own. */
export function project(fields: JsonObject = {}): JsonObject {
  return smallProject({ startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + MONTH_MS), ...fields });
}

/** The same as a service gets it. */
export function checked(fields: JsonObject = {}): CheckedProject {
  return checkProject(project(fields), CLOCK);
}

/**
 * A call of a company that has time enough. Asking how much is left takes a millisecond of it, so that work which is
 * tried again for ever fails its test instead of holding it up.
 */
export function callContext(companyId = 'acme', remainingMs = countdown(10_000)): CallContext {
  return {
    companyId,
    requestId: 'test-request',
    requestedBy: { kind: 'workflow', id: null },
    deadline: { remainingMs },
  };
}

function countdown(from: number): () => number {
  let left = from;
  return () => Math.max(0, left--);
}

/** The problem that some work ends in. Anything else that it ends in fails the test. */
export async function problemOf(work: () => unknown): Promise<Problem> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('There was no problem');
}

/** Expects some work to end in a problem. */
export async function expectProblem(type: ProblemType, work: () => unknown): Promise<void> {
  expect((await problemOf(work)).name).toBe(type);
}
