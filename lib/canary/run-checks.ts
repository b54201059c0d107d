import type { CanaryCheck, CanaryMode } from '../contract/canary.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf } from '../contract/pointer.ts';
import type { Deadline } from '../service/deadline.ts';
import { CANARY_CONTENT, CANARY_PREFIX, type CanaryProject, canaryProject, runOf } from './canary-project.ts';
import { type PartnerApi, RequestFailed } from './partner-api.ts';

/** The error of a check that failed. Its code is the type of the failure. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
  readonly check: CanaryCheck;
  readonly code: string;
  /** The id of the request that failed, if there was an answer. */
  readonly requestId: string | undefined;

  constructor(check: CanaryCheck, cause: unknown) {
    super(`The check ${check} failed`, { cause });
    this.check = check;
    this.code = cause instanceof RequestFailed ? cause.type : cause instanceof Unexpected ? cause.code : 'failed';
    this.requestId = cause instanceof RequestFailed ? cause.requestId : undefined;
  }
}

/** The error for an answer that is not what the check expects, or for a run without enough time. */
class Unexpected extends Error {
  override readonly name = 'Unexpected';
  readonly code: 'unexpected-answer' | 'out-of-time';

  constructor(code: Unexpected['code']) {
    super(code);
    this.code = code;
  }
}

/** The dependencies of a run. */
export interface CanaryRun {
  readonly api: PartnerApi;
  readonly mode: CanaryMode;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly deadline: Deadline;
}

/** The time that one check may need, in milliseconds. */
export const CHECK_MS = 25_000;
/** The age from which on a project is left over from an earlier run, in milliseconds. Two runs may overlap. */
const LEFT_OVER_MS = 120_000;

/**
 * Checks a gateway as a partner uses it: signs in, reads, and creates and deletes a project if the mode says so. A
 * project that an earlier run left is deleted first.
 * @throws {CheckFailed} if a check fails; the checks after it are not made
 */
export async function runChecks({ api, mode, now, deadline }: CanaryRun): Promise<void> {
  const project = canaryProject(now());

  async function check<Result>(name: CanaryCheck, work: () => Promise<Result>): Promise<Result> {
    try {
      if (deadline.remainingMs() < CHECK_MS) throw new Unexpected('out-of-time');
      return await work();
    } catch (error) {
      throw new CheckFailed(name, error);
    }
  }

  await check('health', () => api.health());
  await check('sign-in', () => api.obtainToken());
  await check('languages', async () => expectThat((await api.listLanguages()).length > 0));
  const projects = await check('list', () => api.listProjects({ limit: 1 }));
  // An upstream service is asked only about a project that exists. Those of other runs may vanish at any time.
  const [kept] = projects.filter(({ customId }) => !customId?.startsWith(CANARY_PREFIX));
  if (kept) await check('kept-project', () => api.getProject(kept.id));
  await check('validate', () => api.validateProject(project));
  await check('missing-project', () => expectAbsent(api.getProjectByCustomId(`${project.customId}-none`)));
  await check('leftovers', () => deleteLeftovers(api, project, now()));
  if (mode === 'reads') return;
  const { value: created } = await check('create', () => api.createProject(project, project.customId));
  const { id } = created;
  await check('repeat-create', async () => {
    const { value: again, isReplay } = await api.createProject(project, project.customId);
    expectThat(isReplay && again.id === id);
  });
  await check('read', async () => expectThat(hasContent(await api.getProject(id))));
  const { outcome } = await check('delete', () => api.deleteProject(id, deletionKey(project, id)));
  // An upstream service may take its time, or keep the project in an archive.
  if (outcome === 'deleted') await check('deleted-project', () => expectAbsent(api.getProject(id)));
}

/** Deletes the projects that earlier runs left, because they were stopped or could not delete them. */
async function deleteLeftovers(api: PartnerApi, project: CanaryProject, nowMs: number): Promise<void> {
  for (const { id, customId } of await api.listProjects({ limit: LIMITS.listMax, customIdPrefix: CANARY_PREFIX })) {
    // An odd custom id has no time, and counts as old.
    if (nowMs - runOf(customId ?? '') < LEFT_OVER_MS) continue;
    await api.deleteProject(id, deletionKey(project, id)).catch((error: unknown) => {
      // Another run may have deleted the project meanwhile.
      if (!isAbsence(error)) throw error;
    });
  }
}

/** Returns the idempotency key of a deletion: another one for each run. */
function deletionKey({ customId }: CanaryProject, id: number): string {
  return `${customId}-deletes-${id}`;
}

function hasContent({ segments }: { readonly segments?: unknown }): boolean {
  const [segment, ...others] = Array.isArray(segments) ? segments : [];
  return others.length === 0 && fieldsOf(segment)?.['content'] === CANARY_CONTENT;
}

function expectThat(isExpected: boolean): void {
  if (!isExpected) throw new Unexpected('unexpected-answer');
}

async function expectAbsent(read: Promise<unknown>): Promise<void> {
  const error = await read.then(
    () => new Unexpected('unexpected-answer'),
    (failure: unknown) => failure,
  );
  if (!isAbsence(error)) throw error;
}

function isAbsence(error: unknown): boolean {
  return error instanceof RequestFailed && error.type === 'project-not-found';
}
