import { randomUUID } from 'node:crypto';
import type { OperationStarted } from '../contract/answers.ts';
import { projectChecks } from '../contract/check-project.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { accepted, type HttpResult, MAX_ANSWER_BYTES, tooLargeWithoutGzip } from '../http/http-result.ts';
import { readOperationIdempotency } from '../http/idempotency-key.ts';
import { acceptsGzip, prefersAsync, prefersStrict } from '../http/negotiation.ts';
import type { OperationOptions } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import type { CallContext, ProjectChanges } from '../service/port.ts';
import type { QuotedEngine } from '../service/quote.ts';
import { inTurns } from '../service/turn.ts';

/** The dependencies of the operations whose body is a project. */
export interface ProjectOptions extends OperationOptions {
  /** Makes a random id, for a request with `respond-async` that has no idempotency key. */
  readonly newId?: () => string;
  /** Whether the engine translates between two languages; absent if `Prefer: handling=strict` has no effect. */
  readonly supportsPair?: CallContext['supportsPair'];
  /** Returns the engine whose work is quoted; absent or `undefined` if Segue translates nothing automatically. */
  readonly quotedEngine?: (() => Promise<QuotedEngine | undefined>) | undefined;
}

/** The project of a request, and what the request prefers of it. */
interface SentProject {
  readonly project: CheckedProject;
  /** Present if the service must refuse pairs of languages that the engine does not translate. */
  readonly supportsPair: CallContext['supportsPair'];
  /** The preferences that are applied to the project. */
  readonly applied: readonly string[];
}

/**
 * Reads the project in the body of a request.
 * @param rules the rules of a put, if the request is one
 * @throws {Problem} `invalid-project`, `team-without-translator`
 */
export async function readProject(
  request: HttpRequest,
  { startDateToleranceMs: toleranceMs, allowsLoopbackEvents }: ProjectChanges,
  { now, supportsPair }: ProjectOptions,
  rules: { readonly isPut?: true; readonly customId?: string } = {},
): Promise<SentProject> {
  const checks = projectChecks(request.body, { nowMs: now(), toleranceMs, allowsLoopbackEvents, ...rules });
  const project = await inTurns(checks);
  const isStrict = supportsPair !== undefined && prefersStrict(request.header('prefer'));
  return { project, supportsPair: isStrict ? supportsPair : undefined, applied: isStrict ? ['handling=strict'] : [] };
}

/** Returns the header that names the applied preferences. */
export function preferencesApplied(preferences: readonly string[]): Record<string, string> {
  return preferences.length > 0 ? { 'Preference-Applied': preferences.join(', ') } : {};
}

/** The work of a request that changes a project, and its answer if the client waits for the result. */
interface ProjectWork<Result> {
  /** @param idempotency absent if the request has no idempotency key and the client waits */
  readonly work: (idempotency: CallContext['idempotency']) => Promise<Result>;
  readonly answer: (result: Result, headers: Readonly<Record<string, string>>) => Promise<HttpResult>;
}

/**
 * Runs the work of a request under its idempotency key, and makes its answer. With `respond-async`, or if the work goes
 * on after the deadline, the answer is the operation.
 */
export async function runAsPreferred<Result>(
  request: HttpRequest,
  { newId = randomUUID, applied }: Pick<ProjectOptions, 'newId'> & Pick<SentProject, 'applied'>,
  { work, answer }: ProjectWork<Result>,
): Promise<HttpResult> {
  const isAsync = prefersAsync(request.header('prefer'));
  // The key contains a space, so no client can send it.
  const { idempotency, headers } = readOperationIdempotency(
    request,
    isAsync ? () => `operation ${newId()}` : undefined,
  );
  Object.assign(headers, preferencesApplied([...(isAsync ? ['respond-async'] : []), ...applied]));
  let result: Result;
  try {
    result = await work(idempotency && { ...idempotency, isAnnounced: isAsync });
  } catch (error) {
    return accepted(request, stillRunning(error), headers);
  }
  const { operationId } = request;
  if (isAsync && operationId !== undefined) return accepted(request, { operationId, status: 'done' }, headers);
  return answer(result, headers);
}

/** Handles work that still runs at the deadline. It continues, and the client gets the operation to poll. */
function stillRunning(error: unknown): OperationStarted {
  if (error instanceof Problem && error.name === 'outcome-unknown') {
    const { isRunning, operationId } = error.occurrence;
    if (isRunning && operationId !== undefined) return { operationId, status: 'running' };
  }
  throw error;
}

/**
 * The most bytes by which each object can be longer in the result than in the request. The result has more fields, and
 * writes numbers in full: `1e15` has 4 bytes in the request and 16 in the result.
 */
const ADDED = { project: 300, targetLanguage: 220, member: 220, segment: 25, note: 110 } as const;

/**
 * Rejects a project whose result may be too large for a client that does not accept gzip. Otherwise that client could
 * never receive the id. The exact size depends on the ids, so this function checks the largest possible size.
 * @throws {Problem} `not-acceptable`
 */
export function requireDeliverable(request: HttpRequest, project: CheckedProject): void {
  if (acceptsGzip(request.header('accept-encoding'))) return;
  let added: number = ADDED.project;
  for (const { team } of project.targetLanguages) added += ADDED.targetLanguage + (team?.length ?? 0) * ADDED.member;
  for (const { languageSpecificNotes } of project.segments) {
    added += ADDED.segment + (languageSpecificNotes?.length ?? 0) * ADDED.note;
  }
  // The result may be shorter than the body, which can have white space and escapes. Measure it before rejecting.
  if (request.bodyBytes + added <= MAX_ANSWER_BYTES) return;
  if (Buffer.byteLength(JSON.stringify(project)) + added > MAX_ANSWER_BYTES) throw tooLargeWithoutGzip();
}
