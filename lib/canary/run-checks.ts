import { SegueError } from '../../packages/client/error.ts';
import type { SegueClient } from '../../packages/client/segue-client.ts';
import type { Project } from '../../packages/client/types.ts';
import type { CanaryCheck, CanaryMode } from '../contract/canary.ts';
import { fieldsOf } from '../contract/pointer.ts';
import type { Deadline } from '../service/deadline.ts';
import { CANARY_CONTENT, CANARY_PREFIX, canaryProject, runOf } from './canary-project.ts';

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
    this.code = cause instanceof SegueError ? cause.type : cause instanceof Unexpected ? cause.code : 'failed';
    this.requestId = cause instanceof SegueError ? cause.instance : undefined;
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
  readonly client: SegueClient;
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
export async function runChecks({ client, mode, now, deadline }: CanaryRun): Promise<void> {
  const project = canaryProject(now());
  const idempotencyKey = project.customId;

  async function check<Result>(name: CanaryCheck, work: () => Promise<Result>): Promise<Result> {
    try {
      if (deadline.remainingMs() < CHECK_MS) throw new Unexpected('out-of-time');
      return await work();
    } catch (error) {
      throw new CheckFailed(name, error);
    }
  }

  await check('health', () => client.health());
  await check('sign-in', () => client.obtainToken());
  await check('languages', async () => expectThat((await client.listLanguages()).length > 0));
  const { projects } = await check('list', () => client.listProjects({ limit: 1 }));
  // An upstream service is asked only about a project that exists. Those of other runs may vanish at any time.
  const [kept] = projects.filter(({ customId }) => !customId?.startsWith(CANARY_PREFIX));
  if (kept) await check('kept-project', () => client.getProject(kept.id));
  await check('validate', () => client.validateProject(project));
  await check('missing-project', () => expectAbsent(client.getProjectByCustomId(`${project.customId}-none`)));
  await check('leftovers', () => deleteLeftovers(client, now()));
  if (mode === 'reads') return;
  const { id } = await check('create', () => client.createProject(project, { idempotencyKey }));
  await check('repeat-create', async () => {
    let isReplay = false;
    const onReplay = () => {
      isReplay = true;
    };
    const again = await client.createProject(project, { idempotencyKey, onReplay });
    expectThat(isReplay && again.id === id);
  });
  await check('read', async () => expectThat(hasContent(await client.getProject(id))));
  const { outcome } = await check('delete', () => client.deleteProject(id, 'project'));
  // An upstream service may take its time, or keep the project in an archive.
  if (outcome === 'deleted') await check('deleted-project', () => expectAbsent(client.getProject(id)));
}

/** Deletes the projects that earlier runs left, because they were stopped or could not delete them. */
async function deleteLeftovers(client: SegueClient, nowMs: number): Promise<void> {
  for await (const { id, customId } of client.eachProject({ customIdPrefix: CANARY_PREFIX })) {
    // An odd custom id has no time, and counts as old.
    if (nowMs - runOf(customId ?? '') < LEFT_OVER_MS) continue;
    await client.deleteProject(id, 'project').catch((error: unknown) => {
      // Another run may have deleted the project meanwhile.
      if (!isAbsence(error)) throw error;
    });
  }
}

function hasContent({ segments }: Project): boolean {
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
  return error instanceof SegueError && error.type === 'project-not-found';
}
