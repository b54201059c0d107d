import { Problem } from '../contract/problem.ts';
import type { CallContext } from '../service/port.ts';
import type { Client } from './client.ts';
import type { DeleteIntent } from './open-operations.ts';
import { findTask } from './tasks.ts';
import { findProject, type UpstreamProject } from './upstream-project.ts';

/** What the upstream service shows of something that was to be deleted. */
export type ReadBack =
  /** It is gone. After the deletion of a task, the project without the task. */
  | { readonly kind: 'gone'; readonly project?: UpstreamProject }
  /** A task was to be deleted, and its project is gone. */
  | { readonly kind: 'no-project' }
  | { readonly kind: 'there' }
  /** The id leads to a project with another name, which must not be touched. */
  | { readonly kind: 'another' }
  | { readonly kind: 'archived' }
  /** Unknown: the service does not show the project's tasks. */
  | { readonly kind: 'hidden' }
  /** Unknown: the service does not answer now. */
  | { readonly kind: 'no-answer' };

/** Reads the whole project, also to check a task: a service may delete more than the task. */
export async function readBack(client: Client, intent: DeleteIntent, call: CallContext): Promise<ReadBack> {
  const { serviceId, name, taskId, hasOtherSegments, removed } = intent;
  try {
    const project = await findProject(client, { id: serviceId }, call);
    if (project && project.customId !== name) return { kind: 'another' };
    if (taskId === null) {
      if (!project) return { kind: 'gone' };
      return { kind: isArchived(project) ? 'archived' : 'there' };
    }
    if (!project) return { kind: 'no-project' };
    // A service that showed the list before may leave out an empty one, but not one with segments of other tasks.
    const mayBeEmpty = removed.segments !== null && !hasOtherSegments;
    const isEmpty = mayBeEmpty && (project.segments ?? null) === null;
    const task = findTask(isEmpty ? { ...project, segments: [] } : project, taskId);
    if (task === 'absent') return { kind: 'gone', project };
    return { kind: task === 'hidden' ? 'hidden' : 'there' };
  } catch (error) {
    if (error instanceof Problem) return { kind: 'no-answer' };
    throw error;
  }
}

/** The contract has no field for it. These are the ones that services use. */
function isArchived({ archived, isArchived, status, state }: Readonly<Record<string, unknown>>): boolean {
  const isWord = (word: unknown) => typeof word === 'string' && /^archived$/i.test(word);
  return archived === true || isArchived === true || isWord(status) || isWord(state);
}

/**
 * What was sent before the read-back. `yes`: the service deleted the project or accepted to. `absent`: it has nothing to
 * delete. `unclear`: the response was lost, or a refusal or absence followed a lost one. `unsent`: nothing may be sent.
 */
export type SentDelete = 'yes' | 'absent' | 'unclear' | 'unsent';

/** What follows from a read-back. */
export type Verdict =
  /** The deletion is over. */
  | 'over'
  /** The service needs more time for a deletion that it accepted. */
  | 'pending'
  /** The DELETE may be sent again, which deletes nothing else. */
  | 'send-again'
  /** Nothing is certain yet. */
  | 'open'
  /** Another client has deleted the project. */
  | 'not-found'
  /** Once everything sent is settled: the service did not delete, shows another project, or does not show the task. */
  | 'not-deleted'
  | 'another'
  | 'hidden';

/**
 * The verdict by read-back and by what was sent. A young project may not be visible everywhere yet, so its absence proves
 * nothing. A lagging replica may still show an old project after a proxy sent the DELETE twice.
 */
const VERDICTS: Readonly<
  Record<ReadBack['kind'] | `young ${'gone' | 'no-project' | 'there'}`, Record<SentDelete, Verdict>>
> = {
  archived: { yes: 'over', absent: 'over', unclear: 'over', unsent: 'over' },
  gone: { yes: 'over', absent: 'over', unclear: 'over', unsent: 'over' },
  'young gone': { yes: 'pending', absent: 'send-again', unclear: 'send-again', unsent: 'open' },
  'no-project': { yes: 'pending', absent: 'not-found', unclear: 'send-again', unsent: 'not-found' },
  'young no-project': { yes: 'pending', absent: 'send-again', unclear: 'send-again', unsent: 'open' },
  there: { yes: 'pending', absent: 'open', unclear: 'send-again', unsent: 'not-deleted' },
  'young there': { yes: 'pending', absent: 'send-again', unclear: 'send-again', unsent: 'not-deleted' },
  another: { yes: 'pending', absent: 'open', unclear: 'open', unsent: 'another' },
  hidden: { yes: 'pending', absent: 'send-again', unclear: 'send-again', unsent: 'hidden' },
  'no-answer': { yes: 'pending', absent: 'send-again', unclear: 'send-again', unsent: 'open' },
};

/** @param isOld whether the read began long enough after the project's creation for it to be visible everywhere */
export function verdictOf(sent: SentDelete, kind: ReadBack['kind'], isOld: boolean): Verdict {
  const isUnproved = !isOld && (kind === 'gone' || kind === 'no-project' || kind === 'there');
  return VERDICTS[isUnproved ? (`young ${kind}` as const) : kind][sent];
}
