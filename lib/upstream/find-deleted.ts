import type { CallContext } from '../service/port.ts';
import type { Client } from './client.ts';
import type { DeleteIntent } from './open-operations.ts';
import { findTask } from './tasks.ts';
import { fetchProject, type UpstreamProject } from './upstream-project.ts';

/** The state of a project or task after a DELETE, as the upstream service shows it. */
export type ReadBack =
  /** The project or task is gone. For a task, `project` is the project without the task. */
  | { readonly kind: 'gone'; readonly project?: UpstreamProject }
  /** The project of the task is gone. */
  | { readonly kind: 'no-project' }
  | { readonly kind: 'there' }
  /** The id belongs to another project, which must not be changed. */
  | { readonly kind: 'another' }
  | { readonly kind: 'archived' }
  /** Unknown: the service does not show the project's tasks. */
  | { readonly kind: 'hidden' }
  /** Unknown: the service does not answer now. */
  | { readonly kind: 'no-answer' };

/**
 * Reads a project back after a DELETE. It reads the whole project even for a task, because a service may delete more
 * than the task.
 */
export async function readBack(client: Client, intent: DeleteIntent, call: CallContext): Promise<ReadBack> {
  const shown = await fetchProject(client, { id: intent.serviceId }, call);
  switch (shown.kind) {
    case 'ok':
      return stateOf(shown.project, intent);
    case 'absent':
      return { kind: intent.taskId === null ? 'gone' : 'no-project' };
    case 'refused':
    case 'busy':
    case 'lost':
    case 'unreadable':
      return { kind: 'no-answer' };
  }
}

function stateOf(project: UpstreamProject, { name, taskId, hasOtherSegments, removed }: DeleteIntent): ReadBack {
  if (project.customId !== name) return { kind: 'another' };
  if (taskId === null) return { kind: isArchived(project) ? 'archived' : 'there' };
  // After the deletion, a service may leave out an empty list of segments, but not a list with other segments.
  const mayBeEmpty = removed.segments !== null && !hasOtherSegments;
  const isEmpty = mayBeEmpty && (project.segments ?? null) === null;
  const task = findTask(isEmpty ? { ...project, segments: [] } : project, taskId);
  switch (task.kind) {
    case 'ok':
      return { kind: 'there' };
    case 'absent':
      return { kind: 'gone', project };
    case 'unreadable':
      return { kind: 'hidden' };
  }
}

/**
 * Checks whether a project is archived. The contract has no field for this, so all fields that services use are
 * checked.
 */
function isArchived({ archived, isArchived, status, state }: Readonly<Record<string, unknown>>): boolean {
  const isWord = (word: unknown) => typeof word === 'string' && /^archived$/i.test(word);
  return archived === true || isArchived === true || isWord(status) || isWord(state);
}

/**
 * The response to the DELETE before the read-back. `yes`: the service deleted the project, or accepted the deletion.
 * `absent`: the service answered that there is nothing to delete. `unclear`: the response to this or an earlier DELETE
 * was lost. `unsent`: the read-back alone decides, because this attempt sends no DELETE, or its response does not
 * matter.
 */
export type SentDelete = 'yes' | 'absent' | 'unclear' | 'unsent';

/** The conclusion from a read-back. */
export type Verdict =
  /** The deletion is over. */
  | 'over'
  /** The service needs more time for a deletion that it accepted. */
  | 'pending'
  /** The DELETE may be sent again. It cannot delete anything else. */
  | 'send-again'
  /** Nothing is certain yet. */
  | 'open'
  /** Another client has deleted the project. */
  | 'not-found'
  /** The service did not delete the project or task, unless a sent DELETE can still take effect. */
  | 'not-deleted'
  /** The id belongs to another project, unless a sent DELETE can still take effect. */
  | 'another'
  /** The service does not show whether the task exists. */
  | 'hidden';

/**
 * The verdict for each read-back and each response to the DELETE. A young project may not be visible everywhere yet, so
 * its absence proves nothing. If a proxy sent the DELETE twice, a lagging replica may still show an old project.
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

/**
 * Decides what became of a deletion, from the response to the DELETE and from what a later read of the project found.
 * @param isOld whether the project was old enough to be visible everywhere when the read began
 */
export function verdictOf(sent: SentDelete, kind: ReadBack['kind'], isOld: boolean): Verdict {
  const isUnproved = !isOld && (kind === 'gone' || kind === 'no-project' || kind === 'there');
  return VERDICTS[isUnproved ? (`young ${kind}` as const) : kind][sent];
}
