import type { WorkRole } from '../../contract/event.ts';
import type { TargetLanguageAnswer, TeamMemberAnswer } from '../../contract/project-answer.ts';
import type { TaskId } from '../work/segment-tasks.ts';

/** The work on one role of a task: who does it, and whether it is done. */
export interface Assignment {
  /** Null if the team has nobody for the role. */
  readonly memberId: number | null;
  readonly isDone: boolean;
}

/** The assignments of a task by their roles. A role is absent until the task needs it. */
export type TaskAssignments = Readonly<Partial<Record<WorkRole, Assignment>>>;

/** A task in one language, with the numbers of its segments that are at least translated, and that are proofread. */
export interface TaskProgress {
  readonly taskId: TaskId;
  readonly total: number;
  readonly translated: number;
  readonly proofread: number;
}

/** A task that a member gets, or for which there is nobody. */
export interface AssignmentChange {
  readonly taskId: TaskId;
  readonly role: WorkRole;
  readonly memberId: number | null;
}

/** The fields of a target language that decide who works on it. */
export type StaffedLanguage = Pick<
  TargetLanguageAnswer,
  'team' | 'serviceTranslation' | 'serviceProofreading' | 'serviceAutomaticTranslation'
>;

/** What a role does: which members have it, which languages need it, when it starts, and how much it has left to do. */
interface RoleRules {
  readonly role: WorkRole;
  readonly has: (member: TeamMemberAnswer) => boolean;
  readonly isNeeded: (language: StaffedLanguage) => boolean;
  readonly hasStarted: (task: TaskProgress) => boolean;
  readonly open: (task: TaskProgress) => number;
}

const isTranslated = ({ total, translated }: TaskProgress) => translated === total;
const toProofread = ({ total, proofread }: TaskProgress) => total - proofread;

const ROLES: readonly RoleRules[] = [
  {
    role: 'translator',
    has: ({ isTranslator }) => isTranslator === true,
    isNeeded: needsTranslator,
    hasStarted: () => true,
    open: ({ total, translated }) => total - translated,
  },
  {
    role: 'proofreader',
    has: ({ isProofreader }) => isProofreader === true,
    isNeeded: ({ serviceProofreading }) => serviceProofreading === true,
    hasStarted: isTranslated,
    open: toProofread,
  },
  {
    role: 'inCountryReviewer',
    has: ({ isInCountryReviewer }) => isInCountryReviewer === true,
    isNeeded: ({ team }) => team?.some(({ isInCountryReviewer }) => isInCountryReviewer) ?? false,
    hasStarted: isTranslated,
    open: toProofread,
  },
];

/** Whether people translate. Otherwise an engine does, and people may proofread. */
export function needsTranslator({ serviceTranslation, serviceAutomaticTranslation }: StaffedLanguage): boolean {
  return serviceTranslation === true || serviceAutomaticTranslation !== true;
}

/** The new assignments of a task. */
export interface PlannedTask {
  readonly taskId: TaskId;
  readonly assignments: TaskAssignments;
  /** The roles that somebody gets; none if only work has ended. */
  readonly changes: readonly AssignmentChange[];
}

/**
 * Assigns the tasks of a language, and yields each task whose assignments change, in the order of the tasks. A task needs a translator at once, and a proofreader and an in-country reviewer when
 * its translation is final. The member with the fewest open segments of the language gets the task, or the first of them
 * in the team. A role that was done is assigned again if its work is reopened, and one whose member has left the team at once.
 * @param before the present assignments by task
 */
export function* assignTasks(
  language: StaffedLanguage,
  tasks: readonly TaskProgress[],
  before: ReadonlyMap<TaskId, TaskAssignments>,
): Generator<PlannedTask, void> {
  const rules = ROLES.filter(({ isNeeded }) => isNeeded(language));
  const present = tasks.filter(({ total }) => total > 0);
  const loads = loadsOf(rules, present, before);
  const members = new Map(rules.map(({ role, has }) => [role, language.team?.filter(has) ?? []]));
  for (const task of present) {
    const { taskId } = task;
    const changes: AssignmentChange[] = [];
    const known: TaskAssignments = before.get(taskId) ?? {};
    let assignments = known;
    for (const { role, hasStarted, open } of rules) {
      const assignment = assignments[role];
      const isDone = open(task) === 0;
      const staff = members.get(role) ?? [];
      if (hasStarted(task) && !isDone && (!assignment || assignment.isDone || hasLeft(assignment, staff))) {
        const memberId = leastLoaded(staff, loads);
        if (memberId !== null) loads.set(memberId, (loads.get(memberId) ?? 0) + open(task));
        changes.push({ taskId, role, memberId });
        assignments = { ...assignments, [role]: { memberId, isDone: false } };
      } else if (assignment && isDone && !assignment.isDone) {
        assignments = { ...assignments, [role]: { ...assignment, isDone: true } };
      }
    }
    if (assignments !== known) yield { taskId, assignments, changes };
  }
}

/** Whether somebody else has to do what is assigned: the member has left the team, or the team had nobody and now has. */
function hasLeft({ memberId }: Assignment, staff: readonly TeamMemberAnswer[]): boolean {
  return memberId === null ? staff.length > 0 : !staff.some(({ id }) => id === memberId);
}

/** Returns the number of open segments of each member. */
function loadsOf(
  rules: readonly RoleRules[],
  tasks: readonly TaskProgress[],
  assignments: ReadonlyMap<TaskId, TaskAssignments>,
): Map<number, number> {
  const loads = new Map<number, number>();
  for (const task of tasks) {
    for (const { role, open } of rules) {
      const { memberId = null, isDone = true } = assignments.get(task.taskId)?.[role] ?? {};
      if (memberId !== null && !isDone) loads.set(memberId, (loads.get(memberId) ?? 0) + open(task));
    }
  }
  return loads;
}

function leastLoaded(members: readonly TeamMemberAnswer[], loads: ReadonlyMap<number, number>): number | null {
  let least: { readonly id: number; readonly load: number } | undefined;
  for (const { id } of members) {
    const load = loads.get(id) ?? 0;
    if (!least || load < least.load) least = { id, load };
  }
  return least?.id ?? null;
}
