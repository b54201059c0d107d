import { countOf } from '../../contract/count.ts';
import type { PublishedEvent, WorkRole } from '../../contract/event.ts';
import type { Mail } from '../../service/mail.ts';

const ROLES: Readonly<Record<WorkRole, string>> = {
  translator: 'translator',
  proofreader: 'proofreader',
  inCountryReviewer: 'in-country reviewer',
};

/** The maximum number of changes that an e-mail lists. */
const MAX_LINES = 100;
/** The maximum length of a task id in an e-mail, in UTF-16 code units. */
const MAX_TASK_LENGTH = 80;

/**
 * Writes an e-mail about changes of projects. It has ids, language codes, states and counts, and no content or names.
 * @param events the changes, in the order in which they happened
 */
export function mailText(to: string, events: readonly PublishedEvent[]): Mail {
  const projects = Map.groupBy(events.slice(0, MAX_LINES), ({ data: { projectId } }) => projectId);
  const parts = [...projects].map(([id, own]) =>
    [`Project ${id}`, ...own.map((event) => `- ${lineOf(event)}`)].join('\n'),
  );
  const rest = events.length - MAX_LINES;
  if (rest > 0) parts.push(`And ${countOf(rest, 'more change')}.`);
  const subject = `${countOf(events.length, 'change')} in ${countOf(new Set(events.map(({ data }) => data.projectId)).size, 'project')}`;
  return { to, subject, text: `${[...parts, FOOTER].join('\n\n')}\n` };
}

const FOOTER = 'Segue sent this e-mail because you are in the team of a managed project.';

function lineOf({ type, data }: PublishedEvent): string {
  const { taskId, languageCode = '', role, state, segments = 0 } = data;
  const task = `${taskId === undefined ? 'segments without a task' : `task ${taskName(taskId)}`} into ${languageCode}`;
  const roleName = role ? ROLES[role] : '';
  switch (type) {
    case 'task.assigned':
      return `You are the ${roleName} of ${task}.`;
    case 'task.unassigned':
      return `Nobody in the team can be the ${roleName} of ${task}.`;
    case 'language.state-changed':
      return `${languageCode} is now ${state}.`;
    case 'language.completed':
      return `${languageCode} is complete: ${countOf(segments, 'segment')}.`;
    case 'translation.failed':
      return `The automatic translation into ${languageCode} failed. ${countOf(segments, 'segment')} still to translate.`;
    default:
      return type;
  }
}

/** Returns a task id on one line, so that it cannot look like another part of the e-mail. */
function taskName(taskId: string): string {
  const name = taskId.length > MAX_TASK_LENGTH ? `${taskId.slice(0, MAX_TASK_LENGTH)}…` : taskId;
  return JSON.stringify(name).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
