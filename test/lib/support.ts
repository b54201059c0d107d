import { expect } from 'vitest';
import { type Clock, checkProject } from '../../lib/contract/check-project.ts';
import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { ProblemType } from '../../lib/contract/problems.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import type { CallContext } from '../../lib/service/port.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';

/** The time of every test whose clock stands still. */
export const NOW_MS = Date.UTC(2026, 10, 20, 9, 30);

/** Returns `NOW_MS`, as a clock that stands still. */
export const heldNow = (): number => NOW_MS;

/** The clock of a service with the default tolerance. */
export const CLOCK: Clock = { nowMs: NOW_MS, toleranceMs: LIMITS.startDateToleranceMs };
const MONTH_MS = 30 * 86_400_000;

/** Returns the smallest project that has one of everything, sent at `NOW_MS`. The given fields replace its own. */
export function project(fields: JsonObject = {}): JsonObject {
  return smallProject({ startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + MONTH_MS), ...fields });
}

/** Returns the same project after the checks, as a service gets it. */
export function checked(fields: JsonObject = {}): CheckedProject {
  return checkProject(project(fields), CLOCK);
}

/**
 * Returns a call of a company with enough time. Each reading of the remaining time uses up a millisecond, so that work
 * that is retried endlessly fails its test.
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

/** Returns the problem with which some work ends. Any other end fails the test. */
export async function problemOf(work: Promise<unknown> | (() => unknown)): Promise<Problem> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('There was no problem');
}

/** Expects some work to end with a problem. */
export async function expectProblem(type: ProblemType, work: () => unknown): Promise<void> {
  expect((await problemOf(work)).name).toBe(type);
}
